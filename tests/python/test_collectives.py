"""Waiting in collectives, against answers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import EventKind, Machine, Rank, world, write_all

from clearway.ledger import account
from clearway.run import load


def lines(directory: Path, line: str) -> list[float]:
    """One line of the ledger, by rank."""
    return account(load(directory)).ledger[line].tolist()


def test_everyone_waits_for_the_last_at_a_barrier(tmp_path: Path) -> None:
    # Rank 2 comes at 3.0; all leave at 3.1: rank 0 came 2.0 s too early, rank 1 one second.
    ranks = world(3)
    for rank, entry_s in enumerate((1.0, 2.0, 3.0)):
        ranks[rank].collective("MPI_Barrier", entry_s, 3.1)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([2.0, 1.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.1, 0.1, 0.1])
    assert lines(tmp_path, "compute_s") == pytest.approx([7.9, 8.9, 9.9])
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_broadcast_waits_for_its_root_only(tmp_path: Path) -> None:
    # The root (rank 1) comes at 2.0; rank 2 comes at 5.0 and nobody cares but itself.
    ranks = world(3)
    for rank, (entry_s, exit_s) in enumerate(((1.0, 2.5), (2.0, 2.1), (5.0, 5.2))):
        ranks[rank].collective("MPI_Bcast", entry_s, exit_s, peer=1)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([1.0, 0.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.5, 0.1, 0.2])


def test_only_the_root_of_a_reduction_waits(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, (entry_s, exit_s) in enumerate(((1.0, 4.2), (2.0, 2.3), (4.0, 4.1))):
        ranks[rank].collective("MPI_Reduce", entry_s, exit_s, peer=0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([3.0, 0.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.2, 0.3, 0.1])


@pytest.mark.parametrize("function", ["MPI_Bcast", "MPI_Reduce"])
def test_who_is_served_through_a_late_rank_waits_for_it(tmp_path: Path, function: str) -> None:
    # The root, rank 0, is there at once. Rank 3 gets its data from rank 2 (or gives it there), which comes at 5.0.
    ranks = world(4)
    spans = ((1.0, 1.1), (1.0, 1.2), (5.0, 5.1), (1.0, 5.2))
    for rank, (entry_s, exit_s) in zip(ranks, spans, strict=True):
        rank.collective(function, entry_s, exit_s, peer=0 if function == "MPI_Bcast" else 1, nbytes=1000)
    write_all(ranks, tmp_path)
    waited = [0.0, 0.0 if function == "MPI_Bcast" else 0.2, 0.0, 4.0]
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx(waited)
    assert lines(tmp_path, "mpi_transfer_s")[2:] == pytest.approx([0.1, 0.2])


def test_a_long_broadcast_is_no_waiting(tmp_path: Path) -> None:
    # It takes two seconds, whoever comes when: that rank 2 comes half a second late holds nobody up.
    ranks = world(3)
    for turn in range(3):
        for rank, late_s in zip(ranks, (0.0, 0.0, 0.5), strict=True):
            entry_s = 3.0 * turn + late_s
            rank.collective("MPI_Bcast", entry_s, entry_s + 2.0, peer=0, nbytes=10**9)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([0.0, 0.0, 0.0])


def test_a_scan_waits_for_the_ranks_below(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, (entry_s, exit_s) in enumerate(((3.0, 3.1), (1.0, 3.2), (5.0, 5.1))):
        ranks[rank].collective("MPI_Scan", entry_s, exit_s)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([0.0, 2.0, 0.0])


def test_a_neighbourhood_collective_waits_for_the_neighbours_only(tmp_path: Path) -> None:
    # A chain 0-1-2-3. Rank 3 comes at 5.0: its neighbour 2 waits for it, 0 and 1 wait for rank 1's entry at 2.0.
    ranks = world(4)
    spans = ((1.0, 2.1), (2.0, 3.1), (3.0, 5.1), (5.0, 5.1))
    for rank, sources, (entry_s, exit_s) in zip(ranks, ("1", "0,2", "1,3", "2"), spans, strict=True):
        rank.fact("comm.0.sources", sources)
        rank.collective("MPI_Neighbor_alltoall", entry_s, exit_s)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([1.0, 1.0, 2.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.1, 0.1, 0.1, 0.1])
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([0, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("sources", ["", "0,7", "1", "1,", "x"])
def test_what_is_said_of_neighbours_is_not_trusted(tmp_path: Path, sources: str) -> None:
    ranks = world(2)
    for rank in ranks:
        rank.fact("comm.0.sources", sources).fact("comm.99999.sources", "1").fact("comm.0.sourcesx", "1")
        rank.collective("MPI_Neighbor_alltoall", 1.0, 2.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == [0.0, 0.0]


def test_neighbourhood_collectives_with_unknown_neighbours_stay_undivided(tmp_path: Path) -> None:
    ranks = world(2)
    for rank, entry_s in zip(ranks, (1.0, 2.0), strict=True):
        rank.collective("MPI_Neighbor_alltoall", entry_s, entry_s + 2.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([2.0, 2.0])
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([2.0, 2.0])


def test_a_started_collective_waits_until_all_have_started_it(tmp_path: Path) -> None:
    # Rank 2 starts it at 3.0, when the others wait already: rank 0 since 2.0, rank 1 since 1.0.
    ranks = world(3)
    for rank, (start_s, entry_s) in zip(ranks, ((1.0, 2.0), (1.0, 1.0), (3.0, 3.0)), strict=True):
        rank.started("MPI_Iallreduce", start_s, entry_s, 3.1)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([1.0, 2.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.1, 0.1, 0.1])
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([0, 0, 0], abs=1e-9)


def test_where_nothing_moves_before_the_last_is_back_in_mpi_it_is_waited_for(tmp_path: Path) -> None:
    # All have started it at 1.0, and rank 0 computes until 4.0: nobody is done before that.
    ranks = world(2)
    ranks[0].started("MPI_Iallreduce", 1.0, 4.0, 4.1)
    ranks[1].started("MPI_Iallreduce", 1.0, 2.0, 4.2)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([0.0, 2.0])


def test_where_data_moves_meanwhile_nobody_waits_for_who_comes_back_late(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].started("MPI_Iallreduce", 1.0, 4.0, 4.1)
    ranks[1].started("MPI_Iallreduce", 1.0, 2.0, 3.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == [0.0, 0.0]
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.1, 1.0])


def test_a_started_broadcast_waits_for_its_root_only(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, start_s in zip(ranks, (1.0, 2.0, 5.0), strict=True):
        rank.started("MPI_Ibcast", start_s, start_s, max(start_s, 2.0) + 0.1, peer=1)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([1.0, 0.0, 0.0])


def test_starts_of_a_persistent_collective_are_told_apart(tmp_path: Path) -> None:
    # Started twice, under one number; rank 1 is late at the second.
    ranks = world(2)
    for tag, times in enumerate(((1.0, 1.0), (2.0, 4.0))):
        for rank, start_s in zip(ranks, times, strict=True):
            rank.started("MPI_Allreduce_init", start_s, start_s, max(times) + 0.1, seq=0, tag=tag)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([2.0, 0.0])


def test_a_started_collective_with_a_member_missing_stays_undivided(tmp_path: Path) -> None:
    ranks = world(3)
    for rank in ranks[:2]:
        rank.started("MPI_Iallreduce", 1.0, 1.0, 3.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == [0.0, 0.0, 0.0]
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([2.0, 2.0, 0.0])


def test_long_waits_of_a_sample_whose_late_start_is_missing_are_like_the_others(tmp_path: Path) -> None:
    # At level 3 a wait of 2 s is always there, a start only in windows that are kept. Data moves for 0.1 s.
    ranks = world(2, end_s=200.0, event_level=3)
    for turn in range(60):
        go_s = 3.0 * turn + 2.5
        ranks[0].started("MPI_Iallreduce", go_s - 2.0, go_s - 2.0, go_s + 0.1)
        ranks[1].started("MPI_Iallreduce", go_s, go_s, go_s + 0.1)
    write_all(ranks, tmp_path)
    waits = lines(tmp_path, "mpi_wait_s")
    assert waits[0] == pytest.approx(120.0, rel=0.05)
    assert waits[1] < 3.0


def test_a_rank_without_a_record_leaves_its_partners_undivided(tmp_path: Path) -> None:
    ranks = world(3)[:2]
    for rank in ranks:
        rank.collective("MPI_Barrier", 1.0, 4.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == [0.0, 0.0]
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([3.0, 3.0])


def test_different_functions_under_one_number_are_not_one_call(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].collective("MPI_Barrier", 1.0, 2.0)
    ranks[1].collective("MPI_Allreduce", 1.5, 2.0)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == [0.0, 0.0]
    assert lines(tmp_path, "mpi_undivided_s") == pytest.approx([1.0, 0.5])


def test_a_missing_short_call_came_last(tmp_path: Path) -> None:
    # At level 3 calls of more than 80 ms are always there. Rank 1's call is missing, so it was shorter, so it came
    # within 80 ms of the end: rank 0 waited (nearly) all of its two seconds.
    ranks = world(2, event_level=3)
    ranks[0].collective("MPI_Barrier", 1.0, 3.0)
    ranks[1].cell("MPI_Barrier", 0.001)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s")[0] == pytest.approx(2.0, abs=0.08)


def test_a_sample_stands_for_all_calls(tmp_path: Path) -> None:
    # 60 s of barriers, 100 a second; only those that end in selected windows are recorded. In each, rank 0 waits
    # 4 of its 5 ms. The exact sums are in the cells: 6000 x 5 ms and 6000 x 1 ms.
    ranks = world(2, end_s=60.0, event_level=1)
    for call in range(5900):
        go_s = 0.5 + call * 0.01
        ranks[0].collective("MPI_Barrier", go_s - 0.004, go_s + 0.001)
        ranks[1].collective("MPI_Barrier", go_s, go_s + 0.001)
    write_all(ranks, tmp_path)
    run = load(tmp_path)
    assert 0 < len(run.events) < 2 * 5900
    ledger = account(run).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([5900 * 0.004, 0.0], rel=0.01, abs=1e-3)
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([5.9, 5.9], rel=0.01)


def test_off_the_core_while_waiting_costs_nothing(tmp_path: Path) -> None:
    # Rank 0 waits 2 s and is off its core for 1.5 s of them; rank 1 is off the core for 0.3 of its own 0.5 s.
    ranks = world(2, thread={"run_delay_ns": 1_500_000_000, "run_delay_in_mpi_ns": 1_500_000_000})
    ranks[0].collective("MPI_Barrier", 1.0, 3.5, run_delay_s=1.5)
    ranks[1].collective("MPI_Barrier", 3.0, 3.5, run_delay_s=0.3)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "core_wait_s") == pytest.approx([0.0, 0.3])
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([2.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.5, 0.2])


def test_hosts_with_different_clocks(tmp_path: Path) -> None:
    # The second machine's clock is 3 s ahead and 50 ppm fast; 400 barriers bind it to the first.
    far = Machine("node1", "boot-1", realtime_ahead_s=3.0, drift=5e-5)
    ranks = [Rank(0, 2, end_s=100.0), Rank(1, 2, end_s=100.0, machine=far)]
    for call in range(400):
        late, early = call % 2, 1 - call % 2
        go_s = 0.5 + call * 0.24
        ranks[late].collective("MPI_Barrier", go_s, go_s + 20e-6)
        ranks[early].collective("MPI_Barrier", go_s - 0.05, go_s + 20e-6)
    write_all(ranks, tmp_path)
    run = load(tmp_path)
    assert run.clock_error_s is not None
    assert run.clock_error_s < 50e-6
    assert account(run).ledger["mpi_wait_s"].tolist() == pytest.approx([10.0, 10.0], rel=2e-3)


def test_hosts_that_never_meet_stay_undivided(tmp_path: Path) -> None:
    ranks = [Rank(0, 2), Rank(1, 2, machine=Machine("node1", "boot-1", realtime_ahead_s=3.0))]
    ranks[0].event(EventKind.RECEIVE, "MPI_Recv", 1.0, 3.0, peer=1).cell("MPI_Recv", 2.0)
    ranks[1].event(EventKind.SEND, "MPI_Send", 2.5, 2.6, peer=0).cell("MPI_Send", 0.1)
    write_all(ranks, tmp_path)
    run = load(tmp_path)
    assert run.clock_error_s is None
    assert any("could not be aligned" in note for note in run.notes)
    ledger = account(run).ledger
    assert ledger["mpi_wait_s"].tolist() == [0.0, 0.0]
    assert ledger["mpi_undivided_s"][0] == pytest.approx(2.0)


def test_a_new_grid_of_ranks_waits_for_the_last(tmp_path: Path) -> None:
    ranks = world(3)
    for rank, entry_s in enumerate((1.0, 2.0, 3.0)):
        ranks[rank].collective("MPI_Cart_create", entry_s, 3.1)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([2.0, 1.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s") == pytest.approx([0.1, 0.1, 0.1])


def test_who_has_no_place_in_a_new_grid_may_go_early(tmp_path: Path) -> None:
    # Rank 2 leaves before rank 1 has come, which rank 0 waits for.
    ranks = world(3)
    for rank, (entry_s, exit_s) in enumerate(((1.0, 3.1), (3.0, 3.1), (1.0, 1.5))):
        ranks[rank].collective("MPI_Cart_create", entry_s, exit_s)
    write_all(ranks, tmp_path)
    assert lines(tmp_path, "mpi_wait_s") == pytest.approx([2.0, 0.0, 0.0])
    assert lines(tmp_path, "mpi_transfer_s")[2] == pytest.approx(0.5)
