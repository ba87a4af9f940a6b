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
from io_cache.disks import DISKS

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


@pytest.mark.parametrize("flags", ["O_RDWR", "O_WRONLY", "O_RDWR | os.O_APPEND", "O_RDWR | os.O_EXCL"])
def test_a_file_that_never_had_a_name(cached: Cached, tmp_path: Path, flags: str) -> None:
    folder = tmp_path / "scratch"
    program = f"""
import os, sys
file = os.open(sys.argv[1], os.{flags} | os.O_TMPFILE, 0o600)
assert os.write(file, b"a" * 1000000) == 1000000 and os.fstat(file).st_size == 1000000
os.lseek(file, 5, os.SEEK_SET)
os.write(file, b"bc")
assert os.lseek(file, 0, os.SEEK_CUR) == (1000002 if {"APPEND" in flags} else 7)
if {"RDWR" in flags}:
    assert os.pread(file, 3, 999998) == b"aa" + b"b" * {"APPEND" in flags}
"""
    outcome = cached(sys.executable, "-c", program, folder, folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert figures(tmp_path / "run") == ONLY_IN_MEMORY
    assert list(folder.iterdir()) == []


def test_one_that_gets_a_name(cached: Cached, tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    program = """
import ctypes, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_TMPFILE, 0o600)
os.write(file, b"a" * 1000000)
os.link(f"/proc/self/fd/{file}", sys.argv[1] + "/named", src_dir_fd=os.open("/", os.O_RDONLY))
os.write(file, b"bc")
"""
    outcome = cached(sys.executable, "-c", program, folder, folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert (folder / "named").read_bytes() == b"a" * 1000000 + b"bc"


DELETED_AT_ONCE = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
os.unlink(sys.argv[1])
for block in range(32):
    os.write(file, bytes([block]) * 65536)
assert all(os.pread(file, 65536, 65536 * block) == bytes([block]) * 65536 for block in range(32))
os.ftruncate(file, 1000)
assert os.lseek(file, 0, os.SEEK_END) == 1000
os.close(file)
"""


def test_one_deleted_at_once_where_the_file_system_tells_nothing_more_of_it(cached: Cached, tmp_path: Path) -> None:
    """FUSE answers ESTALE to fstatfs and fstat of it. So SQLite makes its temporary files."""
    disk = DISKS["uncached"]
    if trouble := disk.why_not():
        pytest.skip(trouble)
    with disk.make(tmp_path, 0) as place:
        outcome = cached(sys.executable, "-c", DELETED_AT_ONCE, place.folder / "file", folder=place.folder)
        assert outcome.exit_code == 0, outcome.says
        assert figures(tmp_path / "run") == ONLY_IN_MEMORY
        assert list(place.folder.iterdir()) == []
