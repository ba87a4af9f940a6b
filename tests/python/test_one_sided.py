"""One-sided calls: who has to wait for a target, and until when."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import late_target, load_imbalance
from clearway.run import load


def case_of(ranks: list[Rank], directory: Path) -> Case:
    return open_case(load(write_all(ranks, directory)))


def taking_turns(directory: Path, needed: bool, steps: int = 10, cpus: str = "") -> Case:
    """In each step one of two ranks unlocks the other's window half a second before that comes to MPI.

    Where the target is not needed, the call is over at once.
    """
    ranks = world(2)
    for rank in ranks if cpus else ():
        rank.fact("process.cpus_allowed", cpus)
    for step in range(steps):
        begin_s = 2.0 * step
        origin, target = ranks[step % 2], ranks[1 - step % 2]
        came_s = begin_s + 1.5
        origin.one_sided(target.rank, begin_s + 1.0, came_s + 0.01 if needed else begin_s + 1.001)
        for rank in ranks:
            entry_s = came_s if rank is target or not needed else came_s + 0.01
            rank.collective("MPI_Barrier", entry_s, came_s + 0.01)
            rank.end_s = begin_s + 2.0
    return case_of(ranks, directory)


def test_an_unlock_waits_until_its_target_comes_to_mpi(tmp_path: Path) -> None:
    made = taking_turns(tmp_path, needed=True)
    rows = {row.function: row for row in made.tables.mpi_calls}
    assert rows["MPI_Win_unlock"].wait_s == pytest.approx(10 * 0.5, rel=0.01)
    assert made.tables.ledger.mpi_undivided_s == pytest.approx(0.0, abs=1e-3)
    found = late_target.examine(made)
    assert found is not None
    assert found.claims["wait_s"] == pytest.approx(10 * 0.5, rel=0.05)
    assert "most of it in MPI_Win_unlock" in found.says
    assert load_imbalance.examine(made) is None


def test_ranks_that_share_a_core_lose_nothing_while_they_wait(tmp_path: Path) -> None:
    assert late_target.examine(taking_turns(tmp_path / "own", needed=True, cpus="0-1")) is not None
    assert late_target.examine(taking_turns(tmp_path / "shared", needed=True, cpus="0")) is None


def test_a_call_that_is_over_before_its_target_comes_needed_nobody(tmp_path: Path) -> None:
    made = taking_turns(tmp_path, needed=False)
    rows = {row.function: row for row in made.tables.mpi_calls}
    assert rows["MPI_Win_unlock"].wait_s == 0.0
    assert late_target.examine(made) is None


def test_a_target_that_is_in_mpi_is_not_waited_for(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].one_sided(1, 2.0, 5.0).collective("MPI_Barrier", 6.0, 6.0)
    ranks[1].collective("MPI_Barrier", 1.0, 6.0)
    made = case_of(ranks, tmp_path)
    rows = {row.function: row for row in made.tables.mpi_calls}
    assert rows["MPI_Win_unlock"].wait_s == 0.0
    assert rows["MPI_Win_unlock"].transfer_s == pytest.approx(3.0)


def test_a_target_that_always_computes_longer_is_load_imbalance(tmp_path: Path) -> None:
    ranks = world(2)
    for step in range(5):
        begin_s = 2.0 * step
        ranks[0].one_sided(1, begin_s + 1.0, begin_s + 1.6).collective("MPI_Barrier", begin_s + 1.6, begin_s + 1.6)
        ranks[1].collective("MPI_Barrier", begin_s + 1.6, begin_s + 1.6)
        for rank in ranks:
            rank.end_s = begin_s + 1.6
    made = case_of(ranks, tmp_path)
    found = load_imbalance.examine(made)
    assert found is not None
    assert found.claims["imbalance_s"] == pytest.approx(5 * 0.6, rel=0.05)
    assert late_target.examine(made) is None


@pytest.mark.parametrize("function", ["MPI_Win_flush_all", "MPI_Win_unlock_all"])
def test_a_call_to_all_waits_for_those_that_come_meanwhile(tmp_path: Path, function: str) -> None:
    ranks = world(3)
    ranks[0].one_sided(-1, 2.0, 5.0, function=function)
    ranks[1].collective("MPI_Barrier", 4.0, 6.0)
    ranks[2].collective("MPI_Barrier", 5.5, 6.0)
    ranks[0].collective("MPI_Barrier", 5.6, 6.0)
    made = case_of(ranks, tmp_path)
    row = next(row for row in made.tables.mpi_calls if row.function == function)
    assert row.wait_s == pytest.approx(2.0)
    assert row.undivided_s == pytest.approx(0.0, abs=1e-6)


def test_an_epoch_waits_for_its_other_side(tmp_path: Path) -> None:
    """The target posts a second late, and the origin completes a second after that."""
    origin, target = ranks = world(2)
    origin.one_sided(-1, 1.0, 2.0, function="MPI_Win_start")
    target.one_sided(-1, 2.0, 2.0, function="MPI_Win_post")
    target.one_sided(-1, 2.0, 3.5, function="MPI_Win_wait")
    origin.one_sided(-1, 3.0, 3.5, function="MPI_Win_complete")
    for rank in ranks:
        rank.end_s = 4.0
    made = case_of(ranks, tmp_path)
    waits = {row.function: row.wait_s for row in made.tables.mpi_calls}
    assert waits["MPI_Win_start"] == pytest.approx(1.0)
    assert waits["MPI_Win_wait"] == pytest.approx(1.0)
    assert waits["MPI_Win_complete"] == 0.0


def test_who_is_meant_by_all_targets_is_not_known(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].one_sided(-1, 2.0, 5.0, function="MPI_Win_flush_all")
    made = case_of(ranks, tmp_path)
    assert made.tables.ledger.mpi_undivided_s == pytest.approx(3.0)
