"""What a job does without Clearway it does with it: no call of ours is the reason for a hang or an early end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from collectives.conftest import FlowJob, all_candidates, assert_silent
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import run_job

FORCED = {"CLEARWAY_FLOW_ALGORITHM": "ordered+token:64,chunk:24"}
# An algorithm that needs memory for blocks on their way.
COPYING = {"CLEARWAY_FLOW_ALGORITHM": "hierarchical"}


def compare(
    mpi: Mpi,
    programs: ProgramBuilder,
    flow_job: FlowJob,
    words: list[str],
    environment: dict[str, str],
    ranks: int = 2,
    timeout_s: float = 50,
) -> str:
    """Returns what the job with Clearway said on stderr."""
    program = programs.build(mpi, "flow_sound", "flow/sound.c")
    bare = run_job(mpi, [program, *words], ranks, timeout_s=timeout_s)
    assert bare.exit_code == 0, bare.says
    outcome = flow_job(mpi, [program, *words], ranks, ranks, environment=environment, timeout_s=timeout_s)
    assert outcome.exit_code == 0, outcome.says
    assert sorted(outcome.lines) == sorted(bare.lines)
    assert outcome.messages > 0, "no call went our way"
    assert_silent(outcome)
    return outcome.stderr


def test_errors_and_oddities_of_single_ranks(any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    compare(any_mpi, programs, flow_job, ["alone", "nulls", "short", "finalize", "jump"], FORCED)


def test_collectives_while_a_communicator_is_freed(
    debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob
) -> None:
    compare(debian_mpi, programs, flow_job, ["callbacks"], FORCED)


def test_as_the_selector_chooses(open_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    compare(open_mpi, programs, flow_job, ["alone", "short", "callbacks", "jump"], {}, ranks=3)


def test_a_rank_without_memory(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    compare(debian_mpi, programs, flow_job, ["memory"], COPYING)


def test_random_calls_with_scarce_memory(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    """Now and then one of Clearway's own allocations finds no memory, on one rank or the other."""
    scarce = programs.build_plain("scarce.so", "flow/scarce.c", shared=True)
    program = programs.build(debian_mpi, "random_calls", "flow/random_calls.c", "flow/layout.c")
    words = ["1000", "5", *all_candidates(), "any=own"]
    outcome = flow_job(debian_mpi, [program, *words], 2, 2, before=[scarce])
    assert outcome.exit_code == 0, outcome.says
    assert "1000 calls agree" in outcome.stdout
    refused = [int(count) for count in re.findall(r"^scarce: (\d+) refused$", outcome.stderr, re.MULTILINE)]
    assert len(refused) == 2 and min(refused) > 5


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_memory_for_any_one_allocation_of_a_rank(
    debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob
) -> None:
    """The other rank has memory and goes our way: this one must not leave it alone there."""
    scarce = programs.build_plain("scarce.so", "flow/scarce.c", shared=True)
    program = programs.build(debian_mpi, "random_calls", "flow/random_calls.c", "flow/layout.c")
    for number in range(1, 500):  # the first collective call is behind them
        outcome = flow_job(
            debian_mpi,
            [program, "5", "5", *all_candidates(), "any=own"],
            2,
            2,
            {"SCARCE_AT": str(number)},
            10,
            [scarce],
        )
        assert outcome.exit_code == 0, (number, outcome.says)
        assert "scarce: 1 refused" in outcome.stderr, number


def test_many_communicators_at_a_time(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    """MPICH has 2,048 in all: one of ours for each of these would be too many."""
    compare(debian_mpi, programs, flow_job, ["many", "1200"], FORCED)


def memory_kb(stderr: str) -> list[int]:
    return [int(kb) for kb in re.findall(r"^after \d+: (\d+) kB$", stderr, re.MULTILINE)]


def test_memory_does_not_grow_with_communicators(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    stderr = compare(debian_mpi, programs, flow_job, ["churn", "1000"], {})
    half, end = memory_kb(stderr)
    assert end - half < 1000


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("count", [20_000, 100_000])
def test_memory_of_very_many_communicators(
    debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, count: int
) -> None:
    stderr = compare(debian_mpi, programs, flow_job, ["churn", str(count)], {}, timeout_s=800)
    half, end = memory_kb(stderr)
    assert end - half < 2000


def test_spawned_processes_without_clearway(open_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    """Debian's MPICH cannot start processes here, with or without Clearway."""
    program = programs.build(open_mpi, "flow_spawn", "flow/spawn.c")
    bare = run_job(open_mpi, [program], 2)
    outcome = flow_job(open_mpi, [program], 2, 2, environment=FORCED)
    assert outcome.exit_code == 0, outcome.says
    assert sorted(outcome.lines) == sorted(bare.lines)
    assert outcome.messages > 0, "no call went our way"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_element_of_two_gigabytes(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    """MPI_Pack counts in int."""
    available_kb = int(re.findall(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[0])
    if available_kb < 10 << 20:
        pytest.skip("less than 10 GiB of memory are free")
    program = programs.build(debian_mpi, "flow_big", "flow/big.c")
    outcome = flow_job(debian_mpi, [program], 2, 2, environment={"CLEARWAY_FLOW_ALGORITHM": "ordered"}, timeout_s=120)
    assert outcome.exit_code == 0, outcome.says
    assert "code 0, 0 wrong" in outcome.stdout
    assert outcome.messages > 0, "no call went our way"
