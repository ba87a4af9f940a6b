"""A library may make a program believe in another time: files tell the true one, and nobody waits for ever."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness.programs import ProgramBuilder
from harness.runs import Outcome

Cached = Callable[..., Outcome]

WRITES = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
for i in range(100):
    os.write(file, bytes(1000))
os.close(file)
"""


def test_time_stands_still(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    frozen = programs.build_plain("frozen_clock.so", "frozen_clock.c", shared=True)
    begin = time.time()
    file = tmp_path / "scratch" / "file"
    outcome = cached("env", f"LD_PRELOAD={frozen}", "sh", "-c", "exec sleep 0.1", timeout_s=20)
    assert outcome.exit_code == 0, outcome.says
    shell = f'export LD_PRELOAD="$LD_PRELOAD:{frozen}"; exec "$@"'
    outcome = cached("sh", "-c", shell, "sh", sys.executable, "-c", WRITES, file, timeout_s=20)
    assert outcome.exit_code == 0, outcome.says
    assert list((tmp_path / "run").glob("io.*.cwr")), "nothing was in the cache"
    assert file.read_bytes() == bytes(100_000)
    assert begin - 1 < file.stat().st_mtime < time.time() + 1
