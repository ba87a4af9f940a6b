"""`--io-cache` from the command line to the ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command

from clearway.errors import ClearwayError
from clearway.launch.io_cache import io_cache_options
from clearway.run import load


def test_nobody_asks() -> None:
    assert io_cache_options(None, None, {}) == []
    assert io_cache_options(None, None, {"CLEARWAY_IO_CACHE": "off"}) == []


def test_the_environment_stands_in() -> None:
    environment = {"CLEARWAY_IO_CACHE": "2G", "CLEARWAY_IO_CACHE_FILES": "*.scr"}
    assert io_cache_options(None, None, environment) == ["--io-cache=2G", "--io-cache-files=*.scr"]
    assert io_cache_options("auto", "/s/*", environment) == ["--io-cache=auto", "--io-cache-files=/s/*"]


@pytest.mark.parametrize("size", ["8Q", "12", "1.5G", "2GB", "-1M"])
def test_what_is_no_size(size: str) -> None:
    with pytest.raises(ClearwayError, match="not a size"):
        io_cache_options(size, None, {})


def test_files_need_a_cache() -> None:
    with pytest.raises(ClearwayError, match="without --io-cache"):
        io_cache_options(None, "*.scr", {})


def test_ranks_share_the_memory(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build_plain("io_ends", "io_ends.c")
    script = tmp_path / "rank"
    script.write_text(f'#!/bin/sh\nexec {program} "$TMPDIR/file.$OMPI_COMM_WORLD_RANK" deletes {1 << 20}\n')
    script.chmod(0o755)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    record = [clearway_tool("clearway-record"), "--io-cache", "64M", "--always", "-o", tmp_path / "run", script]
    environment = {**open_mpi.environment, "TMPDIR": str(scratch)}
    outcome = run_command(open_mpi.command(2, record), environment)
    assert outcome.exit_code == 0, outcome.says
    cells = load(tmp_path / "run").io_cache.data
    assert [int(cell["deleted_files"]) for cell in cells] == [1, 1]
    assert [int(cell["budget_bytes"]) for cell in cells] == [32 << 20, 32 << 20]
