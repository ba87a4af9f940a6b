"""Ranks that are stopped by SIGSTOP for a while, as batch systems suspend jobs: the page says so, and what it cost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from causes.building import build_skeleton
from harness.mpis import Mpi
from harness.runs import begin_job, kill_all, load_page

from clearway.base.errors import ClearwayError
from clearway.run import load
from clearway.run.layout import State

pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]

RANKS, STEPS, COMPUTE_S = 2, 20, 0.05
STOPPED_S = 1.5
MOMENT_S, MOMENTS, MANY_STEPS = 0.03, 50, 60
Ran = Callable[..., dict[str, Any]]


def at_work(directory: Path) -> dict[int, int]:
    """Process ids by rank, once all have left MPI_Init; nothing before."""
    try:
        records = load(directory).records
    except ClearwayError:
        return {}
    found = {
        int(each.header["rank"]): int(each.header["pid"]) for each in records if each.header["state"] == State.RUNNING
    }
    return found if len(found) == RANKS else {}


@pytest.fixture
def ran(debian_mpi: Mpi, tmp_path: Path) -> Ran:
    """Runs a job of which these ranks are stopped for a while, and gives the page."""
    directory = tmp_path / "run"
    skeleton = build_skeleton(debian_mpi.family)
    program = [skeleton, "family=allreduce", f"compute={COMPUTE_S}", "bytes=4096", "threads=1"]

    def run(stopped: Collection[int], steps: int = STEPS, times: int = 1, each_s: float = STOPPED_S) -> dict[str, Any]:
        job = begin_job(debian_mpi, [*program, f"steps={steps}"], RANKS, directory)
        try:
            deadline = time.monotonic() + 60
            while not (pids := at_work(directory)) and time.monotonic() < deadline and job.poll() is None:
                time.sleep(0.02)
            for _ in range(times):
                for rank in stopped:
                    os.kill(pids[rank], signal.SIGSTOP)
                time.sleep(each_s)
                for rank in stopped:
                    os.kill(pids[rank], signal.SIGCONT)
                if times > 1:
                    time.sleep(each_s)
            assert job.wait(timeout=60) == 0
        finally:
            kill_all(job)
            job.wait(timeout=10)
        return load_page(directory)

    return run


def stopped_s(page: dict[str, Any]) -> float:
    return sum(row["seconds"] for row in page["blocked"] if row["activity"] == "stopped")


def test_one_that_is_stopped_is_named(ran: Ran) -> None:
    page = ran([1])
    assert 0.8 * STOPPED_S < stopped_s(page) < 1.3 * STOPPED_S, page["blocked"]
    [found] = [one for one in page["findings"] if one["rule"] == "blocked"]
    assert found["title"] == "Time goes into being stopped from outside (SIGSTOP)"
    assert "While the others waited for it, rank 1 was" in found["says"]
    assert 0.7 * STOPPED_S < found["cost_s"] < 1.3 * STOPPED_S


def test_a_job_that_is_stopped_as_a_whole_is_named(ran: Ran) -> None:
    page = ran(range(RANKS))
    [found] = [one for one in page["findings"] if one["rule"] == "blocked"]
    assert found["title"] == "Time goes into being stopped from outside (SIGSTOP)"
    assert 0.7 * STOPPED_S < found["cost_s"] < 1.3 * STOPPED_S


def test_one_that_is_stopped_for_moments_is_named(ran: Ran) -> None:
    """As cpulimit does it: too short for the recorder to notice one of them, which is stopped as well."""
    page = ran([1], MANY_STEPS, MOMENTS, MOMENT_S)
    [found] = [one for one in page["findings"] if one["rule"] == "stood-still"]
    assert "Rank 1 on" in found["says"]
    assert 0.5 * MOMENTS * MOMENT_S < found["cost_s"] < 1.3 * MOMENTS * MOMENT_S


def test_nobody_is_stopped_in_a_healthy_job(ran: Ran) -> None:
    page = ran([])
    assert stopped_s(page) == 0.0
    assert "stood-still" not in {one["rule"] for one in page["findings"]}
