"""A control group that grants a part of the machine's processors, and a job inside it (version 1, as root)."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from clearway.testbed import Testbed
from diagnosis.jobs import Surroundings

GROUP = Path(f"/sys/fs/cgroup/cpu/clearway-diagnosis-{os.getpid()}")
INSIDE = ("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(GROUP))  # before the job's words
PERIOD_US = 100_000
PATIENCE_S = 5


def granted(processors: float) -> Surroundings:
    @contextlib.contextmanager
    def around(_folder: Path, _testbed: Testbed | None) -> Iterator[None]:
        GROUP.mkdir()
        try:
            (GROUP / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (GROUP / "cpu.cfs_quota_us").write_text(str(round(processors * PERIOD_US)))
            yield
        finally:
            end = time.monotonic() + PATIENCE_S
            while (GROUP / "cgroup.procs").read_text() and time.monotonic() < end:
                time.sleep(0.05)
            GROUP.rmdir()

    return around
