"""Ranks that come together over files, and to start or meet other processes: who was late, and for whom they waited."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.turns import computing
from clearway.diagnosis.rules import late_newcomers, load_imbalance
from clearway.page.build.sentence import sentence
from clearway.run import load

LATE_S, WORK_S = 2.0, 0.5


def case_of(ranks: list[Rank], directory: Path) -> Case:
    return open_case(load(write_all(ranks, directory)))


def together(function: str, directory: Path) -> Case:
    """Rank 0 computes two seconds longer than the others, then all work for half a second in this call."""
    ranks = world(3)
    for rank in ranks:
        rank.collective(function, 1.0 + (LATE_S if rank.rank == 0 else 0.0), 1.0 + LATE_S + WORK_S)
        rank.end_s = 5.0
    return case_of(ranks, directory)


def test_who_comes_late_to_a_file_is_waited_for_and_the_rest_is_file_io(tmp_path: Path) -> None:
    made = together("MPI_File_write_all", tmp_path)
    ledger = made.tables.ledger
    assert ledger.mpi_wait_s == pytest.approx(2 * LATE_S)
    assert ledger.io_s == pytest.approx(3 * WORK_S)
    assert ledger.mpi_transfer_s == pytest.approx(0.0, abs=1e-9)
    assert ledger.residue_s == pytest.approx(0.0, abs=1e-9)
    [cause] = [row for row in made.tables.waited if row.seconds > 0.01]
    assert (cause.cause, cause.most_rank) == ("compute", 0)
    assert cause.seconds == pytest.approx(2 * LATE_S)
    assert made.losses.imbalance_s == pytest.approx(2 * LATE_S)


def test_what_the_mpi_lets_go_early_waits_for_nobody(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].collective("MPI_File_open", 3.0, 3.5)
    ranks[1].collective("MPI_File_open", 1.0, 1.5)
    made = case_of(ranks, tmp_path)
    assert made.tables.ledger.mpi_wait_s == 0.0
    assert made.tables.ledger.io_s == pytest.approx(1.0)


def test_who_starts_processes_waits_for_the_late_and_then_for_them(tmp_path: Path) -> None:
    made = together("MPI_Comm_spawn", tmp_path)
    ledger, rows = made.tables.ledger, {row.cause: row for row in made.tables.waited}
    assert ledger.mpi_wait_s == pytest.approx(2 * LATE_S + 3 * WORK_S)
    assert ledger.mpi_transfer_s == pytest.approx(0.0, abs=1e-9)
    assert rows["compute"].seconds == pytest.approx(2 * LATE_S)
    assert rows["newcomers"].seconds == pytest.approx(3 * WORK_S)
    assert "unknown" not in rows


def test_who_accepts_waits_for_who_connects(tmp_path: Path) -> None:
    accepts, connects = ranks = world(2)
    accepts.collective("MPI_Comm_accept", 1.0, 4.1)
    connects.collective("MPI_Comm_connect", 4.0, 4.1)
    rows = {row.cause: row for row in case_of(ranks, tmp_path).tables.waited}
    assert rows["compute"].seconds == pytest.approx(3.0)
    assert rows["compute"].most_rank == 1
    assert rows["newcomers"].seconds == pytest.approx(0.2)


def spawning(directory: Path, costs: bool, without_a_core: float = 0.0) -> Case:
    """Two ranks compute side by side for 50 ms, and start a process, 20 times. `without_a_core`: the part of those."""
    ranks = world(2)
    for rank in ranks:
        for step in range(20):
            at_s, waits_s = 1.0 + 0.3 * step, 0.25 if costs else 0.001
            delay_s = without_a_core * (0.3 - waits_s)
            rank.collective("MPI_Comm_spawn", at_s, at_s + waits_s, run_delay_before_s=delay_s)
    return case_of(ranks, directory)


def test_what_starting_processes_costs_is_a_finding(tmp_path: Path) -> None:
    found = late_newcomers.examine(spawning(tmp_path, costs=True))
    assert found is not None
    assert found.claims["wait_s"] == pytest.approx(2 * 20 * 0.25)
    assert "Each rank called it 20 times" in found.says


def test_one_start_is_not_called_many(tmp_path: Path) -> None:
    found = late_newcomers.examine(together("MPI_Comm_spawn", tmp_path))
    assert found is not None
    assert found.claims["wait_s"] == pytest.approx(3 * WORK_S)
    assert "times" not in found.says


def test_the_first_sentence_does_not_call_them_late_ranks(tmp_path: Path) -> None:
    assert "waiting for processes to start or connect in MPI_Comm_spawn" in sentence(spawning(tmp_path, True).tables)
    assert "waiting for late ranks" in sentence(together("MPI_Comm_spawn", tmp_path / "late").tables)


@pytest.mark.parametrize("without_a_core", [0.0, 0.6, 0.9])
def test_ranks_that_wait_for_newcomers_do_not_take_turns(tmp_path: Path, without_a_core: float) -> None:
    """Nor do ranks take turns that lack a core for most of the time in which both compute."""
    made = spawning(tmp_path, True, without_a_core)
    found = load_imbalance.examine(made)
    assert found is None or "take turns" not in found.says
    counted = computing(made)
    assert counted is not None
    assert counted.at_once == pytest.approx(2.0, rel=0.05)
