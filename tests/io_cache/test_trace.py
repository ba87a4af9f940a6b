"""The recording of accesses from which policies are chosen."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from io_cache_policies.trace import trace_lines, watch

PROGRAM = """
import os
file = os.open("a", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
os.write(file, bytes(100))
os.write(file, bytes(50))
os.lseek(file, 20, os.SEEK_SET)
os.read(file, 30)
os.pread(file, 7, 3)
other = os.dup(file)
os.read(other, 10)
os.ftruncate(file, 60)
more = os.open("a", os.O_WRONLY | os.O_APPEND)
os.write(more, bytes(5))
os.rename("a", "b")
os.open("b", os.O_RDONLY)
os.unlink("b")
os.write(os.open("b", os.O_WRONLY | os.O_CREAT), bytes(9))
"""
EXPECTED = """t 0 0
w 0 0 100
w 0 100 50
r 0 20 30
r 0 3 7
r 0 50 10
t 0 60
w 0 60 5
d 0
w 1 0 9
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_offsets_names_and_deletions_are_followed(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    watch([sys.executable, "-I", "-S", "-c", PROGRAM], folder, os.environ, tmp_path / "strace")
    with (tmp_path / "strace").open() as calls:
        assert "".join(f"{line}\n" for line in trace_lines(calls, folder)) == EXPECTED
