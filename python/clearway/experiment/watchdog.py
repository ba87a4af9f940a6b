"""Ends a job whose keeper was killed: after `kill -9` nobody else does, and it would run on beside the next runs.

A shell waits at a pipe whose other end only we hold. A line in it says that the job has ended. Its end without a line
says that we are gone: then the shell ends the job's process group, which is asked first and made to a little later. A
launcher that is asked ends its ranks, wherever they are.

In a batch job it is left to Slurm, which knows all processes of the job, and itself decides when they end.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import suppress

from clearway.testbed.job import PATIENCE_S

ENDED = b"ended\n"
SCRIPT = f"""\
read -r line && exit
kill -s TERM -- "-$0" || exit
left={PATIENCE_S}
while [ "$left" -gt 0 ] && kill -s 0 -- "-$0"; do sleep 1; left=$((left - 1)); done
kill -s KILL -- "-$0"
"""


class Watchdog:
    """Of one process group, until it is called off."""

    def __init__(self, group: int) -> None:
        # A session of its own: Ctrl-C and what ends the job's group must not end it.
        self._shell: subprocess.Popen[bytes] | None = None
        with suppress(OSError):  # the job runs without it, too
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT, str(group)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )

    def call_off(self) -> None:
        """As often as one likes."""
        if self._shell is not None:
            self._shell.communicate(ENDED)
            self._shell = None


def watch_over(group: int, environment: Mapping[str, str]) -> Watchdog | None:
    return None if "SLURM_JOB_ID" in environment else Watchdog(group)
