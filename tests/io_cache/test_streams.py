"""Scratch that a program writes through stdio is not the cache's; its time is in the record as time in files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

from clearway.run import load
from clearway.run.layout import FILE_STDIO

LINES = 60_000


def test_what_sort_writes_and_reads_again(tmp_path: Path) -> None:
    """GNU sort calls fread_unlocked and fwrite_unlocked, and putc's way into a full buffer."""
    if shutil.which("sort") is None:
        pytest.skip("there is no sort")
    scratch, unsorted = tmp_path / "scratch", tmp_path / "unsorted"
    scratch.mkdir()
    unsorted.write_text("".join(f"{number * 7919 % 100_003:08} {'x' * 40}\n" for number in range(LINES)))
    recorded = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*recorded, "sort", "-S", "256k", "-T", scratch, "-o", tmp_path / "sorted", unsorted])
    assert outcome.exit_code == 0, outcome.says
    files = load(tmp_path / "run").files.data
    made = files[[bytes(path).startswith(bytes(scratch)) for path in files["path"]]]
    assert len(made) >= 2 and (made["flags"] & FILE_STDIO).all()
    size_bytes = unsorted.stat().st_size
    assert made["written_bytes"].sum() >= 0.9 * size_bytes
    assert made["write_ticks"].sum() > 0 and made["read_ticks"].sum() > 0
