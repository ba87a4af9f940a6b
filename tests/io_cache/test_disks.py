"""The slow file systems that other tests and benchmarks use are what they say."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from io_cache.disks import DISKS, RATE_BYTES_PER_S, Disk

MEMORY_BYTES = 32 << 20
AGAIN = """
import pathlib, sys
def fetched():
    return int(pathlib.Path("/proc/self/io").read_text().partition("\\nread_bytes: ")[2].split()[0])
path = pathlib.Path(sys.argv[1])
path.write_bytes(bytes(int(sys.argv[2])))
with path.open("rb") as file:
    before = fetched()
    for _ in range(3):
        file.seek(0)
        while file.read(1 << 20):
            pass
print(fetched() - before)
"""


@pytest.fixture(params=DISKS)
def disk(request: pytest.FixtureRequest) -> Disk:
    return usable(request.param)


def usable(name: str) -> Disk:
    """The disk of that name; skips where it cannot be made."""
    if trouble := DISKS[name].why_not():
        pytest.skip(trouble)
    return DISKS[name]


def test_files_live_there_as_anywhere(disk: Disk, tmp_path: Path) -> None:
    with disk.make(tmp_path, MEMORY_BYTES) as place:
        (place.folder / "a").write_bytes(b"scratch" * 1000)
        (place.folder / "b").mkdir()
        (place.folder / "a").rename(place.folder / "b/c")
        with (place.folder / "b/c").open("r+b") as file:
            file.seek(7)
            file.write(b"SCRATCH")
            file.truncate(21)
        assert (place.folder / "b/c").read_bytes() == b"scratchSCRATCHscratch"
        (place.folder / "b/c").unlink()
        assert [path.name for path in place.folder.rglob("*") if path.is_file() and path.name == "c"] == []


def test_every_byte_of_the_uncached_one_takes_its_time(tmp_path: Path) -> None:
    size_bytes = 4 << 20
    with usable("uncached").make(tmp_path, MEMORY_BYTES) as place:
        (place.folder / "a").write_bytes(bytes(size_bytes))
        begin_s = time.monotonic()
        for _ in range(3):
            assert len((place.folder / "a").read_bytes()) == size_bytes
        assert time.monotonic() - begin_s >= 3 * size_bytes / RATE_BYTES_PER_S


def test_a_file_larger_than_the_memory_is_fetched_each_time(tmp_path: Path) -> None:
    """Twice the memory that the job has: read three times, it comes from the disk three times; else not once."""
    fetched = {}
    for name in ("throttled", "healthy"):
        (tmp_path / name).mkdir()
        with usable(name).make(tmp_path / name, MEMORY_BYTES) as place:
            command = [*place.prefix, sys.executable, "-c", AGAIN, str(place.folder / "a"), str(2 * MEMORY_BYTES)]
            fetched[name] = int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout)
    assert fetched["throttled"] > 3 * MEMORY_BYTES
    assert fetched["healthy"] < MEMORY_BYTES
