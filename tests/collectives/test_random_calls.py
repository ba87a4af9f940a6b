"""Whatever the datatypes, counts, communicators and algorithms: the bytes are those of the MPI's own collectives."""

from __future__ import annotations

import pytest
from collectives.conftest import FlowJob, all_candidates, assert_silent
from harness.mpis import Mpi
from harness.programs import ProgramBuilder

SOURCES = ("flow/random_calls.c", "flow/layout.c")
SELECTOR = ["any="] * 20


def compare(mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, calls: int, seed: int, ranks: int, hosts: int,
            timeout_s: float) -> None:  # fmt: skip
    program = programs.build(mpi, "random_calls", *SOURCES)
    words = [str(calls), str(seed), *all_candidates(), *SELECTOR, "any=own"]
    outcome = flow_job(mpi, [program, *words], ranks, hosts, timeout_s=timeout_s)
    assert outcome.exit_code == 0, outcome.says
    assert f"{calls} calls agree" in outcome.stdout
    assert_silent(outcome)
    assert outcome.messages > calls, "hardly any call went our way"


def test_a_few(any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    compare(any_mpi, programs, flow_job, calls=1500, seed=1, ranks=2, hosts=2, timeout_s=50)


# More ranks than cores: only where ranks yield while they wait is this quick.
@pytest.mark.parametrize(("ranks", "hosts"), [(3, 2), (4, 4), (5, 3)])
def test_a_few_on_more_ranks(
    open_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, ranks: int, hosts: int
) -> None:
    compare(open_mpi, programs, flow_job, calls=1500, seed=2, ranks=ranks, hosts=hosts, timeout_s=50)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize(("ranks", "hosts"), [(2, 2), (3, 3), (4, 2), (4, 4)])
def test_a_hundred_thousand(
    any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, ranks: int, hosts: int, seed: int
) -> None:
    """20 times 5,000 calls under each MPI."""
    compare(any_mpi, programs, flow_job, 5000, 100 + seed, ranks, hosts, timeout_s=800)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("ranks", "hosts"), [(5, 3), (7, 7), (8, 3), (9, 2)])
def test_many_ranks(open_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, ranks: int, hosts: int) -> None:
    compare(open_mpi, programs, flow_job, 2000, 7, ranks, hosts, timeout_s=800)
