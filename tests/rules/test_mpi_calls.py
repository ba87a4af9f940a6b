"""slow-calls and made-again: what the MPI itself takes, inside a host."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Machine, Rank, world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import made_again, slow_calls
from clearway.run import load


def reducing(directory: Path, costs: bool, hosts: int = 1, **environment: str) -> Case:
    """Two ranks make 50 reductions of 64 B together, which take 60 ms each, or 60 µs."""
    each_s = 0.06 if costs else 6e-5
    ranks = [Rank(rank, 2, machine=Machine(f"node{rank % hosts}", f"boot-{rank % hosts}")) for rank in range(2)]
    for rank in ranks:
        for name, value in environment.items():
            rank.fact(f"environment.{name}", value)
        for number in range(50):
            rank.collective("MPI_Allreduce", 1 + 0.1 * number, 1 + 0.1 * number + each_s, nbytes=64, seq=number)
    return open_case(load(write_all(ranks, directory)))


def making(directory: Path, costs: bool, count: int = 20_000) -> Case:
    """Two ranks make and free communicators, in 4 of 10 s."""
    ranks = world(2)
    for rank in ranks:
        spent_s = 1.0 if costs else 0.02
        rank.cell("MPI_Comm_dup", 3 * spent_s, count=count)
        rank.cell("MPI_Comm_free", spent_s, count=count)
    return open_case(load(write_all(ranks, directory)))


def test_what_calls_take_beyond_their_bytes_is_claimed(tmp_path: Path) -> None:
    found = slow_calls.examine(reducing(tmp_path, costs=True))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 50 * 0.06, rel=0.01)
    assert "MPI_Allreduce took 60.0 ms a call to move 64 B on average" in found.says
    assert "MPI_Op_create" in found.says


def test_what_the_mpi_was_told_comes_before_what_programs_usually_do(tmp_path: Path) -> None:
    told = {"OMPI_MCA_coll_tuned_allreduce_algorithm": "5", "OMPI_MCA_btl_tcp_if_include": "eth0"}
    found = slow_calls.examine(reducing(tmp_path, costs=True, **told))
    assert found is not None
    assert "by OMPI_MCA_coll_tuned_allreduce_algorithm: try it without first" in found.says
    assert [each.value for each in found.evidence if each.what == "was set"] == [
        "OMPI_MCA_coll_tuned_allreduce_algorithm=5"
    ]


def test_between_hosts_the_network_may_be_slow(tmp_path: Path) -> None:
    assert slow_calls.examine(reducing(tmp_path, costs=True, hosts=2)) is None


def test_many_bytes_may_take_long(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Alltoall", 1.0, 9.0, nbytes=4_000_000_000)
    assert slow_calls.examine(open_case(load(write_all(ranks, tmp_path)))) is None


@pytest.mark.parametrize("no_core_s", [0.0, 0.008])
def test_ranks_that_lack_a_core_half_of_the_time_move_data_in_a_quarter_of_it(tmp_path: Path, no_core_s: float) -> None:
    """A megabyte in 8 ms of a core's own time, four times as long as it should take."""
    ranks = world(2)
    for rank in ranks:
        for number in range(50):
            begin_s = 1 + 0.1 * number
            end_s = begin_s + 0.008 + no_core_s
            rank.collective("MPI_Alltoall", begin_s, end_s, nbytes=1_000_000, seq=number, run_delay_s=no_core_s)
    found = slow_calls.examine(open_case(load(write_all(ranks, tmp_path))))
    assert (found is None) == (no_core_s > 0)


@pytest.mark.parametrize("no_core_s", [0.0, 0.04])
def test_a_rank_without_a_core_may_have_waited_for_that_after_the_others_came(tmp_path: Path, no_core_s: float) -> None:
    """One rank comes 50 ms after the other, which ends its call 30 ms later still."""
    ranks = world(2)
    for number in range(50):
        begin_s = 1 + 0.1 * number
        ranks[0].collective("MPI_Allreduce", begin_s, begin_s + 0.08, nbytes=8, seq=number, run_delay_s=no_core_s)
        ranks[1].collective("MPI_Allreduce", begin_s + 0.05, begin_s + 0.051, nbytes=8, seq=number)
    found = slow_calls.examine(open_case(load(write_all(ranks, tmp_path))))
    assert (found is None) == (no_core_s > 0)


def test_calls_that_wait_for_started_messages_have_no_bytes_of_their_own(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.cell("MPI_Isend", 0.01, count=10, nbytes=1_000_000_000, peer=1 - rank.rank).cell(
            "MPI_Waitall", 5.0, count=10
        )
    assert slow_calls.examine(open_case(load(write_all(ranks, tmp_path)))) is None


def test_the_time_to_make_communicators_is_claimed(tmp_path: Path) -> None:
    found = made_again.examine(making(tmp_path, costs=True))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 4.0, rel=0.01)
    assert "Each rank created 20,000 of them; most of the time went into MPI_Comm_dup" in found.says


def test_a_program_may_make_some(tmp_path: Path) -> None:
    assert made_again.examine(making(tmp_path, costs=True, count=99)) is None
