"""Options of `clearway testbed run`, which starts the ranks on hosts of its own making.

It is read as a launcher whose name is `run`, with `clearway testbed` before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from clearway.job.launcher_options import Grammar, words

TESTBED = Grammar(
    name="clearway testbed",
    flags=words("counters h help slurm spread"),
    one=words(
        """buffer congestion counters-json device env fault host-cpus hosts latency-us launcher-options mpi on per-host
        rate rto-min second-card switches timeout uplink user"""
    ),
)
DEFAULTS = {"hosts": "4", "per-host": "1", "mpi": "openmpi"}
WORDS_BEFORE = 2  # clearway testbed


def is_testbed(command: Sequence[str]) -> bool:
    return (
        len(command) > WORDS_BEFORE and PurePath(command[0]).name == "clearway" and command[1:3] == ["testbed", "run"]
    )
