"""What is the case while a job runs, besides the job."""

from __future__ import annotations

import contextlib
import fcntl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from clearway.testbed import Testbed
from diagnosis.jobs import Surroundings
from diagnosis.slow_disk import slow_disk

LOCK = Path("/run/lock/clearway-diagnosis")


def busy_core(core: int) -> Surroundings:
    """Somebody else's program computes on that core."""

    @contextlib.contextmanager
    def around(_folder: Path, _testbed: Testbed | None) -> Iterator[None]:
        busy = subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", "while True: pass"])
        try:
            yield
        finally:
            busy.kill()
            busy.wait()

    return around


def low_ceilings(most_bytes: int) -> Surroundings:
    """The whole machine's, as they cannot be set for a network namespace: put back in the end."""

    @contextlib.contextmanager
    def around(_folder: Path, _testbed: Testbed | None) -> Iterator[None]:
        with LOCK.open("w") as lock, contextlib.ExitStack() as stack:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two at once would put back what the other had set
            for name in ("rmem_max", "wmem_max"):
                setting = Path("/proc/sys/net/core") / name
                stack.callback(setting.write_text, setting.read_text())
                setting.write_text(str(most_bytes))
            yield

    return around


def disk(size_mb: int, limits: Mapping[str, int]) -> Surroundings:
    """A file system of its own, `disk` in the working directory: no faster than the limits (see slow_disk)."""

    @contextlib.contextmanager
    def around(folder: Path, _testbed: Testbed | None) -> Iterator[None]:
        with slow_disk(folder, size_mb, limits):
            yield

    return around
