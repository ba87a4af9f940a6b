"""Jobs that hang, and are killed: who waited for whom. And healthy ones, which are looked at while they run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import begin_job, kill_all, load_page

from clearway.base.errors import ClearwayError
from clearway.ledger import account
from clearway.run import load
from clearway.run.run import to_seconds

RANKS = 3
HUNG_S = 4.0  # in the calls that do not return
LONG_S = 9.0  # what is told only of waits like no other before
Hung = Callable[..., dict[str, Any]]


def hung_s(directory: Path, healthy: bool) -> float:
    """How long ranks have stood in a call by now, or since MPI_Init returned; 0 while there are not all."""
    try:
        found = load(directory)
    except ClearwayError:
        return 0.0
    began = [int(record.header["mpi_begin"]["ticks"]) for record in found.records]
    if len(found.processes) < RANKS or not all(began):
        return 0.0
    if healthy:
        return float((found.processes["end_s"] - to_seconds(found.processes, np.array(began, np.uint64))).min())
    return float(account(found).open_calls.time_s.max())


@pytest.fixture
def hung(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Hung:
    """Runs hang.c in one of its modes until it has been recorded for so long, and gives the page."""
    directory = tmp_path / "run"

    def run(mode: str, for_s: float = HUNG_S, alive: bool = False) -> dict[str, Any]:
        job = begin_job(debian_mpi, [programs.build(debian_mpi, "hang", "hang.c"), mode], RANKS, directory)
        try:
            deadline = time.monotonic() + 120
            while hung_s(directory, mode == "healthy") < for_s and time.monotonic() < deadline and job.poll() is None:
                time.sleep(0.2)
            if alive:
                return load_page(directory)
        finally:
            kill_all(job)
            job.wait(timeout=10)
        return load_page(directory)

    return run


def edges(page: dict[str, Any]) -> set[tuple[int, int]]:
    """Rank by rank."""
    nodes = page["waits_for"]["nodes"]
    return {
        (waiter, awaited)
        for edge in page["waits_for"]["edges"]
        for waiter in nodes[edge["waiter"]]["ranks"]
        for awaited in nodes[edge["awaited"]]["ranks"]
    }


def never_returned(page: dict[str, Any]) -> dict[str, Any]:
    """The finding, which must be the first."""
    first: dict[str, Any] = page["findings"][0]
    assert first["rule"] == "never-returned", page["findings"]
    return first


@pytest.mark.parametrize(("mode", "call"), [("receive", "MPI_Recv (tag 7)"), ("send", "MPI_Send (tag 8)")])
def test_two_ranks_that_wait_for_each_other(hung: Hung, mode: str, call: str) -> None:
    page = hung(mode)
    assert page["waits_for"]["kind"] == "deadlock", page["sentence"]
    assert {(0, 1), (1, 0), (2, 0), (2, 1)} == edges(page)
    says = never_returned(page)["says"]
    assert f"rank 0 waits in {call} for rank 1, rank 1 waits in {call} for rank 0" in says


def test_a_ring_of_receives_that_another_call_completes(hung: Hung) -> None:
    page = hung("waitall", LONG_S)
    assert edges(page) == {(0, 1), (1, 2), (2, 0)}, page["sentence"]
    communicators = {node["communicator"] for node in page["waits_for"]["nodes"]}
    assert len(communicators) == 1 and communicators != {"MPI_COMM_WORLD"}


def test_different_collectives(hung: Hung) -> None:
    page = hung("bcast")
    if page["waits_for"]["kind"] == "mismatch":
        assert "collective call 42 on MPI_COMM_WORLD, rank 0 in MPI_Bcast" in never_returned(page)["says"]
    else:  # an MPI whose root may leave MPI_Bcast, or takes one's messages for the other's
        never_returned(page)


def test_one_that_makes_a_call_less(hung: Hung) -> None:
    page = hung("fewer")
    says = never_returned(page)["says"]
    # While the job is killed, Open MPI may let go who stands in MPI_Finalize before the signal comes to it.
    where = r"(is in MPI_Finalize|has ended)"
    assert re.search(rf"Rank 2 made 41 collective calls on MPI_COMM_WORLD and {where}; ranks 0 and 1 made 42", says)


def test_one_that_is_elsewhere(hung: Hung) -> None:
    page = hung("busy", LONG_S)
    assert page["waits_for"]["kind"] == "busy", page["sentence"]
    assert edges(page) == {(0, 1), (2, 1)}
    assert never_returned(page)["says"].endswith("rank 1 is outside MPI, sleeping.")


@pytest.mark.parametrize("alive", [True, False])
def test_a_healthy_job_hangs_nowhere(hung: Hung, alive: bool) -> None:
    page = hung("healthy", alive=alive)
    assert page["waits_for"] is None
    assert "never-returned" not in [found["rule"] for found in page["findings"]]
