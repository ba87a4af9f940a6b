"""Scratch files that a runtime makes itself, deletes at once, and leaves open: nothing of them is for the disk."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import SOURCES
from harness.runs import Outcome

from clearway.run import load

Cached = Callable[..., Outcome]


def figures(run: Path) -> dict[str, int]:
    cell = next(cell for cell in load(run).io_cache.data if cell["files"])
    return {name: int(cell[name]) for name in ("files", "deleted_files", "stores", "fetches", "left_files")}


ONLY_IN_MEMORY = {"files": 1, "deleted_files": 1, "stores": 0, "fetches": 0, "left_files": 0}


def test_a_fortran_scratch_unit(cached: Cached, tmp_path: Path) -> None:
    if shutil.which("gfortran") is None:
        pytest.skip("there is no gfortran")
    program = tmp_path / "io_scratch"
    subprocess.run(["gfortran", "-O1", SOURCES / "io_scratch.F90", "-o", program], check=True)
    folder = tmp_path / "scratch"
    outcome = cached("env", f"TMPDIR={folder}", program, folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.strip() == f"{3 * sum(range(1, 65))}."
    assert figures(tmp_path / "run") == ONLY_IN_MEMORY
    assert list(folder.iterdir()) == []


LEFT_OPEN = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
name = ctypes.create_string_buffer(sys.argv[1].encode())
file = getattr(libc, sys.argv[2])(name, *map(int, sys.argv[3:]))
assert os.path.basename(name.value.decode()).startswith("made.") and os.fstat(file).st_mode & 0o777 == 0o600
os.unlink(name.value)
assert os.write(file, b"a" * 1000000) == 1000000
assert os.pread(file, 10, 999995) == b"aaaaa"
"""


@pytest.mark.parametrize("door", ["mkstemp", "mkstemp64", "mkostemp 0", "mkstemps 2", "mkostemps 2 0"])
def test_all_ways_to_make_one(cached: Cached, tmp_path: Path, door: str) -> None:
    folder = tmp_path / "scratch"
    name = "made.XXXXXX.d" if "temps" in door else "made.XXXXXX"
    outcome = cached(sys.executable, "-c", LEFT_OPEN, folder / name, *door.split(), folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert figures(tmp_path / "run") == ONLY_IN_MEMORY
