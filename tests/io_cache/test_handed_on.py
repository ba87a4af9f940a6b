"""Files that one program of a job hands to the next, where the file system does not tell when they were made."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.runs import Outcome
from io_cache.disks import DISKS

from clearway.run import load

Cached = Callable[..., Outcome]

HALF = 1 << 18
WRITES = """
import os, sys
name, flags, letter = sys.argv[1:]
file = os.open(name, os.O_RDWR | int(flags))
os.pwrite(file, letter.encode() * {half}, os.fstat(file).st_size)
"""
NEW = os.O_CREAT | os.O_EXCL


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    if trouble := DISKS["uncached"].why_not():
        pytest.skip(trouble)
    (tmp_path / "disk").mkdir()
    with DISKS["uncached"].make(tmp_path / "disk", 0) as place:
        yield place.folder


def appends(flags: int, letter: str) -> str:
    return f"""{sys.executable} -c '{WRITES.format(half=HALF)}' "$0" {flags} {letter}"""


def written_bytes(run: Path) -> list[int]:
    """By process, into files in the cache."""
    return [int(cell["written_bytes"]) for cell in load(run).io_cache.data if cell["files"]]


def test_each_program_writes_to_memory(cached: Cached, folder: Path, tmp_path: Path) -> None:
    handed_on = folder / "handed-on"
    programs = " && ".join([appends(NEW, "a"), appends(0, "b"), appends(0, "c")])
    outcome = cached("sh", "-c", programs, handed_on, folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert handed_on.read_bytes() == b"a" * HALF + b"b" * HALF + b"c" * HALF
    assert written_bytes(tmp_path / "run") == [HALF, HALF, HALF]


BETWEEN = {
    "it was there before the job": ":",
    "another one took its name": 'env -u LD_PRELOAD sh -c "cp $0 $0.2 && mv $0.2 $0"',
    "somebody else wrote to it": 'env -u LD_PRELOAD sh -c "printf x >>$0"',
}


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
def test_what_is_not_as_the_job_left_it_is_written_at_once(
    cached: Cached, folder: Path, tmp_path: Path, between: str
) -> None:
    handed_on = folder / "handed-on"
    first = appends(NEW, "a")
    if between == ":":
        handed_on.write_bytes(b"a" * HALF)
        first = ":"
    outcome = cached("sh", "-c", f"{first} && {between} && {appends(0, 'b')}", handed_on, folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert handed_on.read_bytes().replace(b"x", b"") == b"a" * HALF + b"b" * HALF
    assert written_bytes(tmp_path / "run")[-1] == 0


LINKED = """
import os, sys
name = sys.argv[1]
file = os.open(name, os.O_RDWR | os.O_CREAT)
os.write(file, b'precious' * 1000)
{closed}
os.link(name, name + '.final')
os.unlink(name)
"""


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("closed", ["os.close(file)", ""], ids=["closed", "open"])
def test_a_hard_link_may_be_an_inode_of_its_own(cached: Cached, folder: Path, closed: str, own: bool) -> None:
    """On this file system it is: of the first name there is no link left, and yet the file has one."""
    file = folder / "file"
    file.touch()
    os.link(file, folder / "other")
    assert (folder / "other").stat().st_ino != file.stat().st_ino
    (folder / "other").unlink()
    file.unlink()
    outcome = cached(sys.executable, "-c", LINKED.format(closed=closed), file, folder=folder, own=own)
    assert outcome.exit_code == 0, outcome.says
    assert (folder / "file.final").read_bytes() == b"precious" * 1000
