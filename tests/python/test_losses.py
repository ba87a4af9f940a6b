"""Each wait is charged to what held up the rank that was waited for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Rank, SegmentKind, connect, world, write_all

from clearway.ledger import account
from clearway.ledger.delays import delays
from clearway.ledger.losses import Losses, losses
from clearway.ledger.stalls import difference
from clearway.run import load


def lost(ranks: list[Rank], directory: Path) -> Losses:
    write_all(ranks, directory)
    run = load(directory)
    books = account(run)
    return losses(run, books, delays(run, books))


def stall(rank: Rank, begin_s: float, end_s: float) -> None:
    ticks = rank.machine.ticks
    rank.add(SegmentKind.STALLS, socket=0, timeouts=1, begin_ticks=ticks(begin_s), end_ticks=ticks(end_s))


def test_what_lies_outside() -> None:
    intervals = np.array([[1.0, 4.0], [5.0, 6.0]])
    without = np.array([[0.0, 1.5], [2.0, 3.0], [4.5, 5.5]])
    assert difference(intervals, without).tolist() == [[1.5, 2.0], [3.0, 4.0], [5.5, 6.0]]
    assert difference(intervals, intervals).tolist() == []


def test_waits_for_the_rank_that_computes_longest_are_imbalance(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, entry_s in zip(ranks, (2.0, 2.0, 6.0), strict=True):
        rank.collective("MPI_Allreduce", entry_s, 6.0)
    found = lost(ranks, tmp_path)
    assert found.imbalance_s == pytest.approx(8.0)
    assert found.wait_s == pytest.approx(0.0, abs=1e-6)
    assert found.io_s == found.stall_s == 0.0


def test_waits_for_a_rank_that_reads_a_file_are_for_the_file(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, entry_s in zip(ranks, (2.0, 2.0, 6.0), strict=True):
        rank.collective("MPI_Allreduce", entry_s, 6.0)
    ranks[2].thread["io_ticks"] = 4 * 10**9
    found = lost(ranks, tmp_path)
    assert found.io_s == pytest.approx(4.0 + 8.0)
    assert found.imbalance_s == pytest.approx(0.0, abs=1e-6)


def test_being_late_in_turns_is_no_lasting_imbalance(tmp_path: Path) -> None:
    ranks = world(2)
    for turn in range(4):
        for rank in ranks:
            late = (turn + rank.rank) % 2
            rank.collective("MPI_Allreduce", 2.0 * turn + late, 2.0 * turn + 1.0)
    found = lost(ranks, tmp_path)
    assert found.wait_s == pytest.approx(4.0)
    assert found.imbalance_s == pytest.approx(0.0, abs=1e-6)


def test_waits_for_a_stalled_rank_are_for_the_loss(tmp_path: Path) -> None:
    # Ranks 0 and 1 exchange from 1.0 to 3.0 and stall in between; rank 2 waits for both in the next operation.
    ranks = world(3)
    for rank in ranks[:2]:
        rank.receive(1 - rank.rank, 1.0, 3.0)
        rank.send(1 - rank.rank, 1.0, 1.0)
    for rank, entry_s in zip(ranks, (3.0, 3.0, 1.0), strict=True):
        rank.collective("MPI_Allreduce", entry_s, 3.0)
    connect(ranks[0], 1)
    stall(ranks[0], 1.5, 2.5)
    connect(ranks[1], 0)
    connect(ranks[2], 0)
    found = lost(ranks, tmp_path)
    assert found.stall_s == pytest.approx(1.0 + 1.0 + 1.0, abs=0.01)


def test_a_stall_of_a_rank_that_waits_itself_holds_up_nobody(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, entry_s in zip(ranks, (1.0, 1.0, 2.0), strict=True):
        rank.collective("MPI_Alltoall", entry_s, 3.0)
    connect(ranks[0], 1)
    stall(ranks[0], 1.5, 2.5)
    connect(ranks[1], 0)
    connect(ranks[2], 0)
    assert lost(ranks, tmp_path).stall_s == pytest.approx(0.5 + 0.5)
