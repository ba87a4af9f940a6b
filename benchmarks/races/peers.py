"""`gmx tune_pme` on the GROMACS jobs of this machine: what it says, and what that gives beside the unchanged job.

It varies the number of separate PME ranks (with three ranks and more), and how the work is divided between the
Coulomb sum in real space and PME's grid, for which it writes another run input.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from clearway.engines.results import Results
from clearway.job.change import Change
from clearway.tune.session import Seeded
from clearway.tune.setting import MayChange, Setting, name_of
from clearway.tune.track import Track
from races.jobs import MDRUN, MPIRUN, Job
from races.results import Peer

PROGRAM = "`gmx tune_pme`"
TUNED = "tuned.tpr"
LIMIT_S = 1200.0


def has_peer(job: Job) -> bool:
    return not job.testbed and job.command == (*MPIRUN, *MDRUN)


@dataclass
class Timed(Track):
    """Times a run whatever its energies are: another division of the Coulomb sum rounds them differently."""

    def _references(self) -> Sequence[Results | None]:
        return ()


def tune_pme(seeded: Seeded, folder: Path, rounds: int) -> Peer:
    """`folder`: the working directory of the job, which runs are copies of."""
    begin = time.monotonic()
    options = proposed(folder)
    spent_s = time.monotonic() - begin
    if not options:
        return Peer(PROGRAM, "nothing better", (), spent_s)
    says = shlex.join(options)
    way = (Setting(PROGRAM, says, Change(program_options=tuple(options)), MayChange.TOLERANCE),)
    timed = Timed(**{one.name: getattr(seeded.track, one.name) for one in fields(Track)})
    ratios = []
    for number in range(1, rounds + 1):
        ways = ((), way) if number % 2 else (way, ())
        seconds = {name_of(one): timed.run(one, number) for one in ways}
        before, after = seconds[name_of(())], seconds[name_of(way)]
        if before and after:
            ratios.append(after / before)
    seeded.track.run(way, rounds + 1)  # as `clearway tune` would judge it
    fault = seeded.track.fault_of(name_of(way))
    return Peer(PROGRAM, f"{says}: {fault}" if fault else says, tuple(ratios), spent_s)


def proposed(folder: Path) -> list[str]:
    """Options of mdrun. Its own usual settings otherwise, in a folder of its own."""
    apart = folder.parent / "tune_pme"
    apart.mkdir()
    shutil.copy(folder / "run.tpr", apart)
    launcher, ranks = MPIRUN[:-4], MPIRUN[-3]
    mdrun = shlex.join(word for word in MDRUN if word not in ("-s", "run.tpr"))
    command = ["gmx", "tune_pme", "-np", ranks, "-mdrun", mdrun, "-s", "run.tpr", "-so", TUNED]
    environment = {**os.environ, "MPIRUN": shlex.join([*launcher, *MPIRUN[-2:]]), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(command, cwd=apart, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
    if ran.returncode:
        raise SystemExit(f"error: {shlex.join(command)} failed\n{ran.stderr[-2000:]}")
    told = (apart / "perf.out").read_text()
    if "Best performance" not in told:
        raise SystemExit(f"error: {shlex.join(command)} came to no result\n{told[-2000:]}")
    options = options_in(told)
    if TUNED in options:
        shutil.copy(apart / TUNED, folder)
    return options


def options_in(told: str) -> list[str]:
    """Of the command line that it gives in the end, those of mdrun; without those that the job has already.

    Two ranks have no separate PME ranks whether mdrun is told so (0) or chooses itself (-1).
    """
    found = re.search(r"^Please use this command line to launch the simulation:\s*\n+(.+)$", told, re.MULTILINE)
    if found is None:
        return []
    words = shlex.split(found[1])
    words = words[words.index("mdrun") + 1 :]
    pairs = list(zip(words[::2], words[1::2], strict=False))
    known = {*itertools.pairwise(MDRUN), ("-npme", "0"), ("-npme", "-1")}
    return [word for pair in pairs if pair not in known for word in pair]
