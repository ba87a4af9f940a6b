"""Files that are locked by flock, as HDF5 locks all that it opens."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome

from clearway.run import load

Cached = Callable[..., Outcome]

LOCKED = """
import fcntl, os, subprocess, sys
name = sys.argv[1]
file = os.open(name, os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
os.write(file, b"a" * 1000000)
"""
DELETED = "os.unlink(name)"
TWICE = """
other = os.open(name, os.O_RDWR)
try:
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("locked twice")
except BlockingIOError:
    print("refused")
"""
FROM_OUTSIDE = """
def others():
    ask = ["env", "-u", "LD_PRELOAD", "flock", "--nonblock", name, "wc", "-c", name]
    return subprocess.run(ask, capture_output=True, text=True, close_fds=True).stdout.partition(" ")[0].strip()
print(others() or "refused")
os.close(file)
print(others())
"""


def test_it_stays_in_memory(cached: Cached, tmp_path: Path) -> None:
    outcome = cached(sys.executable, "-c", LOCKED + DELETED, tmp_path / "scratch" / "file")
    assert outcome.exit_code == 0, outcome.says
    did = load(tmp_path / "run").io_cache.data[0]
    assert (did["written_bytes"], did["stores"], did["deleted_files"]) == (1_000_000, 0, 1)


@pytest.mark.parametrize(("then", "says"), [(TWICE, ["refused"]), (FROM_OUTSIDE, ["refused", "1000000"])])
def test_the_lock_holds(cached: Cached, tmp_path: Path, then: str, says: list[str]) -> None:
    if shutil.which("flock") is None:
        pytest.skip("there is no flock (Debian package util-linux)")
    outcome = cached(sys.executable, "-c", LOCKED + then, tmp_path / "scratch" / "file")
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.split() == says


def test_a_lock_ends_with_its_descriptor(cached: Cached, tmp_path: Path) -> None:
    """The file is still in the cache, and so is a descriptor of it."""
    then = "os.close(file)\nfile = os.open(name, os.O_RDWR)\n" + TWICE
    outcome = cached(sys.executable, "-c", LOCKED + then, tmp_path / "scratch" / "file")
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.split() == ["locked", "twice"]
