"""Calls, bytes and order of access of each file are those that the program made; the program notices nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import run_command

DELETED, WRITTEN, READ, EXISTED, STDIO = 1, 2, 4, 8, 128

Record = Callable[..., "object"]


@pytest.fixture
def hooks(programs: ProgramBuilder, record, tmp_path: Path):  # type: ignore[no-untyped-def]
    result = record(programs.build_plain("io_hooks", "../native/io_hooks.c"))
    assert result.outcome.exit_code == 5, result.outcome.says
    assert result.outcome.stdout == "done\n"
    return result, tmp_path / "work"


def test_descriptors(hooks) -> None:  # type: ignore[no-untyped-def]
    result, work = hooks
    cell = result.file(work / "blocks.dat")
    assert (cell["opens"], cell["closes"]) == (2, 3)
    assert (cell["writes"], cell["written_bytes"]) == (101, 409_610)
    assert (cell["reads"], cell["read_bytes"]) == (350, 3 * 409_600 + 5_000)
    assert (cell["seeks"], cell["syncs"], cell["metadata"]) == (3, 3, 1)  # an fsync, two msync
    assert (cell["sequential_writes"], cell["sequential_reads"]) == (100, 297)  # each rewind breaks the order
    assert cell["mapped_bytes"] == 8192
    assert cell["extent_bytes"] == (1 << 20) + 10
    assert cell["flags"] == WRITTEN | READ


def test_streams(hooks) -> None:  # type: ignore[no-untyped-def]
    result, work = hooks
    cell = result.file(work / "lines.txt")
    assert (cell["writes"], cell["written_bytes"]) == (1000, 9001)
    assert cell["reads"] == 1002  # 1000 lines, the piece after the last newline, the end of the file
    assert cell["read_bytes"] == 2 * 9001  # of which once by characters, past the doors
    assert cell["flags"] == WRITTEN | READ | STDIO | DELETED


def test_append_links_and_files_without_names(hooks) -> None:  # type: ignore[no-untyped-def]
    result, work = hooks
    log = result.file(work / "log.dat")
    assert (log["writes"], log["written_bytes"], log["sequential_writes"]) == (2, 60, 2)
    inner = result.file(work / "folder" / "inner.dat")
    assert inner["flags"] & DELETED
    paths = [cell["path"].decode() for cell in result.run.files.data]
    assert any(path.startswith(str(work / "made.")) for path in paths)
    assert not any("socket:" in path or "pipe:" in path for path in paths)


def test_time_is_the_sum_of_the_files(hooks) -> None:  # type: ignore[no-untyped-def]
    result, _ = hooks
    ticks = sum(int(result.run.files.data[name].sum()) for name in result.run.files.data.dtype.names if "ticks" in name)
    assert 0 < ticks * 0.99 <= int(result.thread()["io_ticks"])  # failed opens and the like belong to no file


def test_survives_trouble(programs: ProgramBuilder, record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program = programs.build_plain("io_trouble", "../native/io_trouble.c")
    (tmp_path / "bare").mkdir()
    bare = run_command([program], directory=tmp_path / "bare")
    result = record(program)
    assert bare.exit_code == 5, bare.says
    assert (result.outcome.exit_code, result.outcome.stdout) == (bare.exit_code, bare.stdout), result.outcome.says
    data = result.file(tmp_path / "work" / "data.dat")
    assert data["reads"] >= 80_000 + 100_000
    assert (tmp_path / "work" / "farewell.txt").read_text() == "cancelled\n"
    assert result.file(tmp_path / "work" / "after.txt")["written_bytes"] == 1


def test_files_beyond_the_table_share_a_cell(programs: ProgramBuilder, record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    script = "i=0; while [ $i -lt 5000 ]; do : > f$i; i=$((i+1)); done"
    result = record("sh", "-c", script)
    assert result.outcome.exit_code == 0
    names = [cell["path"].decode() for cell in result.run.files.data]
    assert len(names) <= 4096
    assert "(other files)" in names
