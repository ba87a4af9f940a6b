"""MPI_Finalize, and who waits in it for whom, against answers worked out by hand."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from python.made_runs import Rank, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import late_end
from clearway.ledger import account
from clearway.ledger.delays import Delays, delays
from clearway.ledger.ending import ending
from clearway.ledger.losses import losses
from clearway.run import load


def ended(rank: int, entry_s: float, exit_s: float, size: int = 3) -> Rank:
    """A rank that was in MPI_Finalize from here to there."""
    made = Rank(rank, size, end_s=exit_s + 0.1)
    made.header["mpi_end"] = made.machine.instant(entry_s)
    return made.cell("MPI_Finalize", exit_s - entry_s)


def late_to_finalize(directory: Path, costs: bool) -> Case:
    """Rank 1 goes on for four seconds; without cost its MPI lets the others go."""
    out_s = 9.2 if costs else 5.2
    return open_case(load(write_all([ended(0, 5.0, out_s), ended(1, 9.0, 9.2), ended(2, 5.0, out_s)], directory)))


def test_all_wait_for_the_last(tmp_path: Path) -> None:
    run = load(write_all([ended(0, 3.0, 9.2), ended(1, 9.0, 9.1), ended(2, 8.5, 9.2)], tmp_path))
    ends = ending(run, account(run))
    assert ends is not None
    assert ends.entry_s.tolist() == pytest.approx([3.0, 9.0, 8.5])
    assert ends.wait_s.tolist() == pytest.approx([6.0, 0.0, 0.5])


def test_nobody_waits_who_may_go(tmp_path: Path) -> None:
    run = load(write_all([ended(0, 3.0, 3.2), ended(1, 9.0, 9.1)], tmp_path))
    ends = ending(run, account(run))
    assert ends is not None
    assert ends.wait_s.tolist() == pytest.approx([0.2, 0.0]), "of the call, it cannot be known what it waited for"


def test_one_that_never_came_leaves_it_open(tmp_path: Path) -> None:
    run = load(write_all([ended(0, 3.0, 9.2), Rank(1, 2)], tmp_path))
    assert ending(run, account(run)) is None


def test_the_one_that_goes_on_is_named(tmp_path: Path) -> None:
    found = late_end.examine(late_to_finalize(tmp_path, costs=True))
    assert found is not None
    assert found.says.startswith("Rank 1 on node0 went on for 4.00 s after the others had nothing left to do")
    assert "2 ranks waited 4.00 s each, on average, in MPI_Finalize for it" in found.says
    assert found.claims == pytest.approx({"blocked_s": 8.0})


def imbalance_s(directory: Path, tail_s: float) -> float:
    """Two ranks wait for each other in turn, a second and 0.9 s, and rank 1 goes on at the end. No event tells why."""
    ranks = [ended(0, 9.0 - tail_s, 9.2, size=2), ended(1, 9.0, 9.2, size=2)]
    for entries_s in ((1.0, 2.0), (3.9, 3.0)):
        for rank, entry_s in zip(ranks, entries_s, strict=True):
            rank.collective("MPI_Allreduce", entry_s, max(entries_s))
    run = load(write_all(ranks, directory))
    books = account(run)
    known = delays(run, books)
    nothing = {field.name: getattr(known, field.name)[:0] for field in fields(known)}
    return losses(run, books, Delays(**nothing)).imbalance_s


def test_waits_before_are_not_for_what_it_does_at_the_end(tmp_path: Path) -> None:
    assert imbalance_s(tmp_path / "a", 0.0) == pytest.approx(0.1, abs=0.01)
    assert imbalance_s(tmp_path / "b", 4.0) == pytest.approx(0.1, abs=0.01)
