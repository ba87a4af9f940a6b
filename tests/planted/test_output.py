"""What a job prints, and writes a few bytes at a time: counted exactly, and told where it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

Planted = Callable[[str, int], tuple[dict[str, Any], float]]


@pytest.fixture
def planted(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Planted:
    """The page of a job that writes in this way, so often, and how long it took by its own clock."""

    def run(way: str, calls: int) -> tuple[dict[str, Any], float]:
        truth, directory = tmp_path / f"truth-{way}", tmp_path / way
        program = [programs.build(open_mpi, "output", "output.c"), way, str(calls), tmp_path / f"{way}.dat"]
        outcome = run_job(open_mpi, program, 2, directory, ["--sample-ms", "10"], {"TRUTH": str(truth)})
        assert outcome.exit_code == 0, outcome.says
        return load_page(directory), sum(facts["writing"] for facts in load_facts(truth).values())

    return run


def file_of(page: Mapping[str, Any], end: str) -> Mapping[str, Any]:
    [row] = [row for row in page["files"] if row["path"].endswith(end)]
    return row  # type: ignore[no-any-return]


def rules_of(page: Mapping[str, Any]) -> set[str]:
    return {finding["rule"] for finding in page["findings"]}


def test_tiny_writes_are_counted_and_named(planted: Planted) -> None:
    page, writing_s = planted("tiny", 1_000_000)
    row = file_of(page, "tiny.dat")
    assert row["bytes_written"] == 64_000_000
    assert row["calls"] >= 1_000_000
    assert row["time_s"] <= writing_s
    assert "small-writes" in rules_of(page)


@pytest.mark.parametrize("way", ["large", "stream"])
def test_the_same_bytes_in_large_writes_are_no_small_ones(planted: Planted, way: str) -> None:
    page, _ = planted(way, 1_000_000)
    assert file_of(page, f"{way}.dat")["bytes_written"] >= 63_000_000
    assert "small-writes" not in rules_of(page)


@pytest.mark.parametrize("way", ["sought", "ahead"])
def test_a_seek_before_each_number_is_named(planted: Planted, way: str) -> None:
    """The other way reads the same numbers, of which the C library has a block at hand."""
    page, _ = planted(way, 4_000_000)
    found = [finding for finding in page["findings"] if finding["rule"] == "small-reads"]
    assert bool(found) == (way == "sought")
    assert "text-files" not in rules_of(page)
    for finding in found:
        assert "4,000,000 reads of 8 B" in finding["says"] and "seeks for most of them" in finding["says"]


@pytest.mark.parametrize("way", ["numbers", "stream"])
def test_a_core_that_makes_text_is_named(planted: Planted, way: str) -> None:
    """The other way has lines that are text already: they are copied."""
    page, _ = planted(way, 1_000_000)
    assert ("text-files" in rules_of(page)) == (way == "numbers")


def test_a_stream_that_keeps_nothing_back_is_named(planted: Planted) -> None:
    page, _ = planted("unkept", 1_000_000)
    [found] = [finding for finding in page["findings"] if finding["rule"] == "small-writes"]
    assert "setvbuf" in found["says"]


@pytest.mark.parametrize("way", ["lines", "printed"])
def test_prints_are_counted_and_named(planted: Planted, way: str) -> None:
    page, writing_s = planted(way, 100_000)
    row = file_of(page, "stdout")
    assert row["bytes_written"] == 6_400_000
    assert row["time_s"] <= writing_s
    [found] = [finding for finding in page["findings"] if finding["rule"] == "output"]
    offered = {remedy["id"] for remedy in found["remedies"]}
    assert ("keep-lines" in offered) == (way == "printed")  # Open MPI gives ranks a terminal


def test_a_few_prints_are_no_finding(planted: Planted) -> None:
    page, _ = planted("printed", 200)  # on a crowded machine one takes up to 30 us: of 1,000 that is worth telling
    assert file_of(page, "stdout")["bytes_written"] == 12_800
    assert not rules_of(page) & {"output", "small-writes"}


def test_a_pipe_that_nobody_reads_is_named(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = [programs.build(open_mpi, "blocked", "blocked.c"), "1.0", tmp_path / "db", "pipe"]
    outcome = run_job(open_mpi, program, 2, tmp_path / "run", ["--sample-ms", "10"])
    assert outcome.exit_code == 0, outcome.says
    page = load_page(tmp_path / "run")
    [found] = [finding for finding in page["findings"] if finding["rule"] == "output"]
    assert found["title"] == "Ranks wait for the reader of their output"
    assert file_of(page, "stdout")["time_s"] <= page["ledger"]["wall_s"]
    assert "blocked" not in rules_of(page)
