"""From the records of the I/O cache to what the page says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from python.made_runs import Rank, world, write_all

from clearway.page.build import summarise
from clearway.page.model import IoCache
from clearway.page.render.highlights import io_cache_facts, io_cache_verdict
from clearway.run import load

MB = 1 << 20
# Of ADF's mail, with a memory that is too small; 30 s of it in files.
SMALL = {
    "budget_bytes": 16 * MB,
    "record_bytes": 4096,
    "records": 4056,
    "peak_records": 4056,
    "read_records": 1000,
    "fetched_records": 560,
    "written_records": 500,
    "stored_records": 440,
    "fetch_ns": 2_000_000_000,
    "store_ns": 1_000_000_000,
    "evicted_serial": 300,
    "evicted_other": 12,
    "lookups": 1200,
    "conflicts": 300,
    "files": 3,
    "deleted_files": 2,
    "policy": "keep-first",
}
CURVE = ((16 * MB, 560, 440), (32 * MB, 300, 200), (64 * MB, 51, 51), (128 * MB, 50, 50))


def ten_seconds(size: int) -> list[Rank]:
    ranks = world(size)
    for rank in ranks:
        rank.end_s = 10.0
    return ranks


def page_of(directory: Path, ranks: list[Rank], *caches: dict[str, Any], curve: tuple[Any, ...] = CURVE) -> IoCache:
    write_all(ranks, directory)
    for rank, cell in zip(ranks, caches, strict=True):
        (directory / f"io.node0.{1000 + rank.rank}.cwr").write_bytes(rank.io_record(cell, *curve))
    found = summarise(load(directory)).io_cache
    assert found is not None
    return found


def test_a_job_without_has_none(tmp_path: Path) -> None:
    assert summarise(load(write_all(world(1), tmp_path))).io_cache is None


def test_what_is_counted_and_what_would_have_been_enough(tmp_path: Path) -> None:
    found = page_of(tmp_path, ten_seconds(1), SMALL)
    assert (found.budget_bytes, found.records, found.processes) == (16 * MB, 4056, 1)
    assert (found.fetched_records, found.read_records) == (560, 1000)
    assert found.file_s == pytest.approx(3.0)
    # 3 s for 1000 records that moved: of the 10 s, 7 s remain, and 3 ms for each of the 102 that still move.
    assert found.enough_bytes == 64 * MB
    assert found.enough_wall_s == pytest.approx(7.0 + 0.102 * 3, abs=0.01)
    assert "64.0 MiB would have been enough" in io_cache_verdict(found)
    told = dict(io_cache_facts(found))
    assert told["input"] == "56.0 % of 1,000 records came from files"
    assert told["output"] == "88.0 % of 500 records went to files"
    assert told["hash table"] == "1,200 lookups, 300 conflicts (25.0 %)"
    assert told["records evicted"] == "300 of serial files, 12 of others"


def test_ranks_wait_for_files_at_the_same_time(tmp_path: Path) -> None:
    found = page_of(tmp_path, ten_seconds(2), SMALL, SMALL)
    assert (found.processes, found.read_records) == (2, 2000)
    assert found.enough_wall_s == pytest.approx(7.0 + 0.102 * 3, abs=0.01)
    assert "in each process" in io_cache_verdict(found)


def test_where_everything_fitted_more_gives_nothing(tmp_path: Path) -> None:
    fits = {**SMALL, "budget_bytes": 128 * MB, "records": 32_000, "evicted_serial": 0, "evicted_other": 0}
    assert "larger cache would not help" in io_cache_verdict(page_of(tmp_path, ten_seconds(1), fits))


def test_a_lost_write_is_said_first(tmp_path: Path) -> None:
    assert "2 writes to files failed" in io_cache_verdict(
        page_of(tmp_path, ten_seconds(1), {**SMALL, "store_errors": 2})
    )


def test_without_a_curve_nothing_is_promised(tmp_path: Path) -> None:
    found = page_of(tmp_path, ten_seconds(1), {**SMALL, "fetch_ns": 0, "store_ns": 0}, curve=())
    assert (found.enough_bytes, found.enough_wall_s, found.file_s) == (None, None, None)
    assert "with more memory" in io_cache_verdict(found)


def test_a_record_cut_short_costs_only_itself(tmp_path: Path) -> None:
    ranks = ten_seconds(1)
    write_all(ranks, tmp_path)
    (tmp_path / "io.node0.1000.cwr").write_bytes(ranks[0].io_record(SMALL, *CURVE)[:9000])
    run = load(tmp_path)
    assert summarise(run).io_cache is None
    assert any("io.node0.1000.cwr" in note for note in run.notes)
