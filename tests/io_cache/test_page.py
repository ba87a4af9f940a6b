"""What the page says of a job whose scratch file is in the I/O cache, held against what the job did."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool
from harness.runs import load_page, run_command

MB = 1 << 20
RECORD_BYTES = 4096
SIZE_BYTES, AGAIN = 8 * MB, 5
PROGRAM = f"""
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
for _ in range({SIZE_BYTES // MB}):
    os.write(fd, bytes({MB}))
for _ in range({AGAIN}):
    os.lseek(fd, 0, os.SEEK_SET)
    for _ in range({SIZE_BYTES // MB}):
        os.read(fd, {MB})
os.unlink(sys.argv[1])
os.close(fd)
"""


def page_of(folder: Path, *options: str) -> dict[str, Any]:
    """Of a program that writes a file, reads it again and again, and deletes it."""
    (folder / "temporary").mkdir(parents=True)
    record = [clearway_tool("clearway-record"), "--always", "-o", folder / "run", *options, "--"]
    outcome = run_command(
        [*record, sys.executable, "-c", PROGRAM, folder / "scratch"], {"TMPDIR": str(folder / "temporary")}
    )
    assert outcome.exit_code == 0, outcome.says
    return load_page(folder / "run")


def in_cache(folder: Path, budget_bytes: int) -> dict[str, Any]:
    page = page_of(folder, f"--io-cache={budget_bytes}", "--io-cache-files", f"{folder}/scratch")
    if page["io_cache"] is None:
        pytest.skip("the file system of temporary files is in memory, or has no leases")
    assert notes_on_the_cache(page) == []
    told: dict[str, Any] = page["io_cache"]
    return told


def test_without_the_cache_there_is_no_section(tmp_path: Path) -> None:
    assert page_of(tmp_path)["io_cache"] is None


def test_a_cache_that_held_no_file_is_told_of(tmp_path: Path) -> None:
    """Scratch in the working directory: the user sees why the cache did not help."""
    (elsewhere,) = notes_on_the_cache(page_of(tmp_path / "elsewhere", "--io-cache=8Mi"))
    assert "(8Mi) held none of the job's files" in elsewhere
    assert "in TMPDIR" in elsewhere
    (named,) = notes_on_the_cache(page_of(tmp_path / "named", "--io-cache=8Mi", "--io-cache-files", "*.scr:*.tmp"))
    assert "it takes those that match '*.scr:*.tmp'." in named
    assert notes_on_the_cache(page_of(tmp_path / "without")) == []


def notes_on_the_cache(page: dict[str, Any]) -> list[str]:
    return [note for note in page["job"]["notes"] if "I/O cache" in note]


def test_a_file_that_fits_and_is_deleted_never_moves(tmp_path: Path) -> None:
    told = in_cache(tmp_path, 4 * SIZE_BYTES)
    records = SIZE_BYTES // RECORD_BYTES
    assert told["budget_bytes"] == 4 * SIZE_BYTES
    assert (told["read_records"], told["written_records"]) == (AGAIN * records, records)
    assert (told["fetched_records"], told["stored_records"]) == (0, 0)
    assert told["fits"] and told["peak_records"] == records
    assert (told["files"], told["deleted_files"]) == (1, 1)


def test_half_of_it_serves_nearly_half_of_the_reads(tmp_path: Path) -> None:
    told = in_cache(tmp_path, SIZE_BYTES // 2)
    assert not told["fits"]
    assert 0.4 < told["fetched_records"] / told["read_records"] < 0.75
