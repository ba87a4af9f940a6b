"""A control group that grants a part of the processors or of the memory, and a job inside it (version 1, as root)."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from clearway.testbed import Testbed
from diagnosis.jobs import Surroundings

NAME = f"clearway-diagnosis-{os.getpid()}"
PROCESSORS, MEMORY = (Path("/sys/fs/cgroup") / controller / NAME for controller in ("cpu", "memory"))
PERIOD_US = 100_000
MIB = 1 << 20
PATIENCE_S = 5


def inside(group: Path) -> tuple[str, ...]:
    """Before the job's words."""
    return ("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group))


def granted(processors: float) -> Surroundings:
    quota_us = round(processors * PERIOD_US)
    return _limited(PROCESSORS, {"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": quota_us})


def granted_memory(mib: int) -> Surroundings:
    return _limited(MEMORY, {"memory.limit_in_bytes": mib * MIB})


def _limited(group: Path, limits: Mapping[str, int]) -> Surroundings:
    @contextlib.contextmanager
    def around(_folder: Path, _testbed: Testbed | None) -> Iterator[None]:
        group.mkdir()
        try:
            for name, value in limits.items():
                (group / name).write_text(str(value))
            yield
        finally:
            end = time.monotonic() + PATIENCE_S
            while (group / "cgroup.procs").read_text() and time.monotonic() < end:
                time.sleep(0.05)
            group.rmdir()

    return around
