"""`--io-cache` from the command line to the ranks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command
from numpy.typing import NDArray

from clearway.base.errors import ClearwayError
from clearway.job.io_cache import io_cache_options
from clearway.run import load

MB, RECORD = 1 << 20, 4096


def test_nobody_asks() -> None:
    assert io_cache_options(None, None, {}) == []
    assert io_cache_options(None, None, {"CLEARWAY_IO_CACHE": "off"}) == []


def test_the_environment_stands_in() -> None:
    environment = {"CLEARWAY_IO_CACHE": "2Gi", "CLEARWAY_IO_CACHE_FILES": "*.scr"}
    assert io_cache_options(None, None, environment) == ["--io-cache=2Gi", "--io-cache-files=*.scr"]
    assert io_cache_options("auto", "/s/*", environment) == ["--io-cache=auto", "--io-cache-files=/s/*"]


@pytest.mark.parametrize("size", ["8Q", "12", "999k", "2Gbit", "-1M", "8M/host", "auto/rank"])
def test_what_is_no_size(size: str) -> None:
    with pytest.raises(ClearwayError, match="not a size"):
        io_cache_options(size, None, {})


def test_a_size_of_each_rank() -> None:
    assert io_cache_options("64Mi/rank", None, {}) == ["--io-cache=64Mi/rank"]


def test_files_need_a_cache() -> None:
    with pytest.raises(ClearwayError, match="needs --io-cache"):
        io_cache_options(None, "*.scr", {})


Cells = NDArray[np.void]
RunRanks = Callable[..., Cells]


@pytest.fixture
def run_ranks(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> RunRanks:
    """Each rank writes so many MiB, reads and checks them three times, and deletes them. What their caches did."""

    def run_them(budget: str, *scratch_mb: int) -> Cells:
        program = programs.build_plain("io_ends", "io_ends.c")
        bytes_of = " ".join(str(size << 20) for size in scratch_mb)
        script = tmp_path / "rank"
        script.write_text(
            f"#!/bin/bash\nbytes=({bytes_of})\nme=$OMPI_COMM_WORLD_RANK\n"
            f'exec {program} "$TMPDIR/file.$me" deletes ${{bytes[$me]}}\n'
        )
        script.chmod(0o755)
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        record = [clearway_tool("clearway-record"), "--io-cache", budget, "--always", "-o", tmp_path / "run", script]
        environment = {**open_mpi.environment, "TMPDIR": str(scratch), "PSI_SCRATCH": str(scratch)}
        outcome = run_command(open_mpi.command(len(scratch_mb), record), environment)
        assert outcome.exit_code == 0, outcome.says
        cells = load(tmp_path / "run").io_cache.data
        assert [int(cell["deleted_files"]) for cell in cells] == [1] * len(scratch_mb)
        return np.sort(cells, order="peak_records")

    return run_them


def test_a_rank_that_needs_nearly_all_memory_of_the_host_has_it(run_ranks: RunRanks) -> None:
    small, large = run_ranks("64Mi", 1, 56)
    assert (int(small["peak_records"]), int(large["peak_records"])) == (MB // RECORD, 56 * MB // RECORD)
    assert int(large["stored_records"] + large["fetched_records"]) == 0, "all of it was in memory"


def test_ranks_that_all_need_more_share_the_memory(run_ranks: RunRanks) -> None:
    cells = run_ranks("16Mi", 12, 12, 12, 12)
    assert all(0 < cell["peak_records"] * RECORD <= 16 * MB for cell in cells)
    assert cells["stored_records"].sum() > 0, "they do not fit together"


def test_memory_of_each_rank(run_ranks: RunRanks) -> None:
    cells = run_ranks("8Mi/rank", 6, 12)
    assert [int(cell["budget_bytes"]) for cell in cells] == [8 * MB, 8 * MB]
    assert [int(cell["stored_records"]) > 0 for cell in cells] == [False, True]
