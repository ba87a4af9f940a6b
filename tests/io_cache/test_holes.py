"""A program that writes far beyond the end of a file, and looks whether what lies between takes room on the disk."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]

HOLE = """
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
os.pwrite(fd, b"far", 16 << 20)
print(os.fstat(fd).st_blocks * 512 < 1 << 20)
os.pwrite(fd, b"near" * 25000, 0)
print(100000 <= os.fstat(fd).st_blocks * 512 < 1 << 20)
os.pwrite(fd, b"all" * (6 << 20), 0)
print(os.fstat(fd).st_blocks * 512 >= 18 << 20)
"""


@pytest.mark.parametrize("own", [True, False])
def test_a_hole_takes_no_room(cached: Cached, tmp_path: Path, own: bool) -> None:
    """HDF5's own tests take such a file system for one without holes, and leave out what needs them."""
    plain = run_command([sys.executable, "-c", HOLE, tmp_path / "plain"])
    assert plain.stdout.split() == ["True"] * 3, plain.says
    outcome = cached(sys.executable, "-c", HOLE, tmp_path / "scratch" / "file", own=own)
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says
