"""Whether others use this machine: their load is a fault that nobody planted, and would rightly be found."""

from __future__ import annotations

import os
import time
from pathlib import Path

QUIET_CORES = 0.2
PERIOD_S = 0.5


def wait_until_quiet(patience_s: float) -> bool:
    """False where it did not become quiet in time."""
    end = time.monotonic() + patience_s
    while not is_quiet():
        if time.monotonic() > end:
            return False
    return True


def is_quiet() -> bool:
    before = _busy_s()
    time.sleep(PERIOD_S)
    return _busy_s() - before < QUIET_CORES * PERIOD_S


def _busy_s() -> float:
    """CPU time of all processors: user, nice, system, then idle and waiting for files, then interrupts (proc(5))."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:8]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
