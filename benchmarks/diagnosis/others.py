"""How much others use this machine while a job runs: a fault that nobody planted, and that is rightly found.

A witness of its own: the job and all that it starts are in a control group, whose CPU time the kernel counts; what the
processors did besides was somebody else's.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOUNTED = Path("/sys/fs/cgroup")
QUIET_CORES = 0.2
PERIOD_S = 0.5
PATIENCE_S = 2


@dataclass
class Witness:
    """`inside` goes before the job's words; `others_cores` is known at the end."""

    inside: tuple[str, ...] = ()
    others_cores: float | None = None  # mean; None where there is no control group


@contextlib.contextmanager
def witness() -> Iterator[Witness]:
    root = MOUNTED / "unified" if (MOUNTED / "unified").is_dir() else MOUNTED
    made = Witness()
    try:
        group = Path(tempfile.mkdtemp(prefix="clearway-diagnosis-", dir=root))
    except OSError:
        yield made
        return
    made.inside = ("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group))
    try:
        begin_s, busy_s = time.monotonic(), _busy_s()
        yield made
        elapsed_s = time.monotonic() - begin_s
        made.others_cores = max(_busy_s() - busy_s - _used_s(group), 0.0) / elapsed_s
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    """Once the last daemon of the launcher has left it; one that hangs keeps it."""
    end = time.monotonic() + PATIENCE_S
    while group.exists() and time.monotonic() < end:
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)


def wait_until_quiet(patience_s: float) -> None:
    end = time.monotonic() + patience_s
    while not _is_quiet() and time.monotonic() < end:
        pass


def _is_quiet() -> bool:
    before_s = _busy_s()
    time.sleep(PERIOD_S)
    return _busy_s() - before_s < QUIET_CORES * PERIOD_S


def _busy_s() -> float:
    """CPU time of all processors: user, nice, system, then idle and waiting for files, then interrupts (proc(5))."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:8]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def _used_s(group: Path) -> float:
    figures = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
    return int(figures["usage_usec"]) * 1e-6
