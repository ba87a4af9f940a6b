"""A recorded call executes at most 4 instructions (1 ns) more than when parallel regions were not recorded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from record_overhead.instructions import BUILT, MPIS, count

MORE_INSTRUCTIONS = 4
PUBLISHED = REPOSITORY / "benchmarks" / "record_overhead" / "instructions.json"


@pytest.mark.parametrize("mpi", MPIS)
def test_calls_are_as_cheap_as_before(mpi: str, tmp_path: Path) -> None:
    missing = [tool for tool in ("valgrind", f"mpicc.{mpi}") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    before = json.loads(PUBLISHED.read_text())["before"]
    now = count(mpi, BUILT, tmp_path)
    known = {call: row[mpi] for call, row in before.items() if row[mpi] > 0}  # what was recorded then
    assert known.keys() <= now.keys()
    dearer = {call: (then, now[call]) for call, then in known.items() if now[call] > then + MORE_INSTRUCTIONS}
    assert not dearer
