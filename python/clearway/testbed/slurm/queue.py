"""Waits for the jobs of a testbed's Slurm: what was submitted is to end before the testbed goes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence

LOOK_S = 0.2


def wait_for_all(squeue: Sequence[str], until: float | None = None) -> bool:
    """Until no job waits or runs. `squeue`: what asks for them, one a line. Not longer than to `until`, a moment of
    time.monotonic: False then."""
    while True:
        answer = subprocess.run(squeue, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if answer.returncode == 0 and not answer.stdout.strip():
            return True
        if until is not None and time.monotonic() > until:
            return False
        time.sleep(LOOK_S)
