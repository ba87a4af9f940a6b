"""Loss stalls move time from moving data to the stall line, on both ends of a connection."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python.made_runs import Rank, SegmentKind, connect, world, write_all

from clearway.ledger import account
from clearway.ledger.stalls import overlap_s, union
from clearway.run import load


def stall(rank: Rank, begin_s: float, end_s: float, socket: int = 0) -> Rank:
    ticks = rank.machine.ticks
    return rank.add(SegmentKind.STALLS, socket=socket, timeouts=1, begin_ticks=ticks(begin_s), end_ticks=ticks(end_s))


def test_union_and_overlap() -> None:
    intervals = union(np.array([[5.0, 6.0], [1.0, 3.0], [2.0, 4.0], [2.5, 2.6]]))
    assert intervals.tolist() == [[1.0, 4.0], [5.0, 6.0]]
    overlap = overlap_s(intervals, np.array([0.0, 2.0, 4.2, 3.5, 7.0]), np.array([9.0, 3.0, 4.8, 5.5, 8.0]))
    assert overlap.tolist() == pytest.approx([4.0, 1.0, 0.0, 1.0, 0.0])


def test_a_stall_holds_up_both_ends_but_no_third(tmp_path: Path) -> None:
    # An all-to-all from 1.0 (rank 2 comes at 2.0) to 3.0. Rank 0's connection to rank 1 stalls from 1.5 to 2.5:
    # the half second before 2.0 was waiting for rank 2 anyway, the half second after it is the stall.
    ranks = world(3)
    for rank, entry_s in enumerate((1.0, 1.0, 2.0)):
        ranks[rank].collective("MPI_Alltoall", entry_s, 3.0)
    connect(ranks[0], 1)
    stall(ranks[0], 1.5, 2.5)
    connect(ranks[1], 0)
    connect(ranks[2], 0)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([1.0, 1.0, 0.0])
    assert ledger["mpi_stall_s"].tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.5, 0.5, 1.0])


def test_stalls_at_one_moment_count_once(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Alltoall", 1.0, 3.0)
        connect(rank, 1 - rank.rank)
    stall(ranks[0], 1.2, 1.8)
    stall(ranks[1], 1.4, 2.0)
    write_all(ranks, tmp_path)
    assert account(load(tmp_path)).ledger["mpi_stall_s"].tolist() == pytest.approx([0.8, 0.8])


def test_a_stall_takes_from_undivided_time_too(tmp_path: Path) -> None:
    ranks = world(2)[:1]
    connect(ranks[0], 1)
    stall(ranks[0], 2.0, 2.5)
    ranks[0].receive(1, 1.0, 4.0)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_stall_s"][0] == pytest.approx(0.5)
    assert ledger["mpi_undivided_s"][0] == pytest.approx(2.5)


def test_stalls_of_a_socket_that_is_not_there(tmp_path: Path) -> None:
    ranks = world(1)
    stall(ranks[0], 2.0, 2.5, socket=9)
    write_all(ranks, tmp_path)
    assert account(load(tmp_path)).ledger["mpi_stall_s"][0] == 0.0
