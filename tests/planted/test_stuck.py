"""Jobs that get stuck and are killed: what their page says of the time in which nothing went on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import begin_job, kill_all, load_page

from clearway.base.errors import ClearwayError
from clearway.run import load

RANKS = 2
STUCK_S = 5.0  # of the record: the processes' counters are read every second
Stuck = Callable[[str], dict[str, Any]]


def recorded_s(directory: Path) -> float:
    """How long the shortest record of the job is by now; 0 while there are not all."""
    try:
        processes = load(directory).processes
    except ClearwayError:
        return 0.0
    lives = processes["end_s"] - processes["recording_s"]
    return float(lives.min()) if len(lives) == RANKS else 0.0


@pytest.fixture
def stuck(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Stuck:
    """Runs stuck.c in one of its modes until it has been recorded for long enough, and gives the page."""
    directory = tmp_path / "run"

    def run(mode: str) -> dict[str, Any]:
        job = begin_job(open_mpi, [programs.build(open_mpi, "stuck", "stuck.c"), mode], RANKS, directory)
        try:
            deadline = time.monotonic() + 60
            while recorded_s(directory) < STUCK_S and time.monotonic() < deadline:
                time.sleep(0.2)
        finally:
            kill_all(job)
            job.wait(timeout=10)
        return load_page(directory)

    return run


def share(page: dict[str, Any], line: str) -> float:
    return float(page["ledger"][line] / page["ledger"]["wall_s"])


@pytest.mark.parametrize("mode", ["asleep", pytest.param("init", marks=pytest.mark.slow)])
def test_a_job_that_uses_no_processor_is_not_computing(stuck: Stuck, mode: str) -> None:
    page = stuck(mode)
    assert share(page, "compute_s") < 0.2
    assert share(page, "other_s") > 0.6
    assert not [found for found in page["findings"] if found["rule"] == "missing-ranks"]


def test_what_nobody_sends_is_waited_for_and_said(stuck: Stuck) -> None:
    page = stuck("receive")
    assert page["ranks"][1]["ledger"]["mpi_wait_s"] > 0.5 * page["ranks"][1]["ledger"]["wall_s"]
    assert page["ranks"][1]["inside"] == "MPI_Recv"  # the first call of its kind in this process
    assert "The record ends with 1 of 2 ranks in MPI_Recv, since second" in page["sentence"]
    assert "rank 0 is in no recorded call" in page["sentence"]


@pytest.mark.slow
def test_a_rank_that_never_comes_is_waited_for(stuck: Stuck) -> None:
    page = stuck("barrier")
    assert page["ranks"][1]["ledger"]["mpi_wait_s"] > 0.5 * page["ranks"][1]["ledger"]["wall_s"]
    assert "in every step" not in str(page["findings"])
