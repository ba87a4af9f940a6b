"""Late senders and late receivers, against answers worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import EventKind, Rank, world, write_all

from clearway.ledger import account
from clearway.run import load


def test_a_receive_waits_for_its_sender(tmp_path: Path) -> None:
    # Posted at 1.0, sent at 3.0, arrived at 3.2.
    ranks = world(2)
    ranks[0].receive(1, 1.0, 3.2)
    ranks[1].send(0, 3.0, 3.1, nbytes=100_000)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([2.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.2, 0.1])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_probe_waits_for_the_message_that_it_finds(tmp_path: Path) -> None:
    # Sent at 3.0, found at 3.1, once more at once, then received.
    ranks = world(2)
    ranks[0].cell("MPI_Probe", 2.1).event(EventKind.PROBED, "MPI_Probe", 1.0, 3.1, peer=1, seq=0)
    ranks[0].cell("MPI_Probe", 0.1).event(EventKind.PROBED, "MPI_Probe", 3.1, 3.2, peer=1, seq=0)
    ranks[0].receive(1, 3.2, 3.3)
    ranks[1].send(0, 3.0, 3.1)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([2.0, 0.0])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.1, 0.0])


def test_a_loop_of_polls_waits_like_the_call_that_it_stands_for(tmp_path: Path) -> None:
    # From 1.0 on; sent at 3.0, found at 3.2: the cell holds all that time.
    ranks = world(2)
    ranks[0].cell("MPI_Iprobe", 2.2, count=9000).event(EventKind.PROBED, "MPI_Iprobe", 1.0, 3.2, peer=1, seq=0)
    ranks[1].send(0, 3.0, 3.1)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([2.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.2, 0.1])


def test_a_call_that_completes_a_message_and_a_collective_waits_for_the_later(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].cell("MPI_Waitall", 4.0).event(EventKind.RECEIVE, "MPI_Waitall", 1.0, 5.0, peer=1)
    ranks[0].event(EventKind.STARTED, "MPI_Iallreduce", 0.5, 0.5).event(EventKind.COMPLETED, "MPI_Waitall", 1.0, 5.0)
    ranks[1].send(0, 2.0, 2.1).started("MPI_Iallreduce", 4.5, 4.5, 5.0)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([3.5, 0.0])


def test_events_of_a_kind_to_come_are_passed_over(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].cell("MPI_Wait", 1.0).event(99, "MPI_Wait", 1.0, 2.0, peer=1, nbytes=1)  # type: ignore[arg-type]
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([1.0, 0.0])


def test_messages_pair_by_peer_tag_and_number(tmp_path: Path) -> None:
    # Two messages with tag 7 and one with tag 8; the second of tag 7 is the late one.
    ranks = world(2)
    ranks[0].receive(1, 1.0, 1.1, tag=7).receive(1, 2.0, 4.1, tag=7).receive(1, 5.0, 5.1, tag=8)
    ranks[1].send(0, 0.5, 0.6, tag=7).send(0, 0.7, 0.8, tag=8).send(0, 4.0, 4.1, tag=7)
    write_all(ranks, tmp_path)
    assert account(load(tmp_path)).ledger["mpi_wait_s"][0] == pytest.approx(2.0)


def test_a_waitall_waits_for_the_latest_of_its_messages(tmp_path: Path) -> None:
    # One MPI_Waitall from 1.0 to 3.5; its messages were sent at 2.0 and 3.0.
    ranks = world(3)
    ranks[0].receive(1, 1.0, 3.5, "MPI_Waitall").receive(2, 1.0, 3.5, "MPI_Waitall")
    ranks[0].cells.clear()
    ranks[0].cell("MPI_Waitall", 2.5)
    ranks[1].send(0, 2.0, 2.1, "MPI_Isend")
    ranks[2].send(0, 3.0, 3.1, "MPI_Isend")
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([2.0, 0.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.5, 0.1, 0.1])


def test_one_unknown_sender_leaves_the_rest_of_a_waitall_undivided(tmp_path: Path) -> None:
    # Rank 2 left no record: after rank 1's message was sent at 2.0, the other 1.5 s may be waiting or transfer.
    ranks = world(3)[:2]
    ranks[0].receive(1, 1.0, 3.5, "MPI_Waitall").receive(2, 1.0, 3.5, "MPI_Waitall")
    ranks[0].cells.clear()
    ranks[0].cell("MPI_Waitall", 2.5)
    ranks[1].send(0, 2.0, 2.1, "MPI_Isend")
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"][0] == pytest.approx(1.0)
    assert ledger["mpi_undivided_s"][0] == pytest.approx(1.5)


def test_waits_that_completed_no_receive_are_undivided(tmp_path: Path) -> None:
    # Of 3 s in MPI_Waitall, one call of 1 s completed a receive; the other 2 s completed sends.
    ranks = world(2)
    ranks[0].receive(1, 1.0, 2.0, "MPI_Waitall").cell("MPI_Waitall", 2.0)
    ranks[1].send(0, 1.9, 1.95, "MPI_Isend")
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"][0] == pytest.approx(0.9)
    assert ledger["mpi_undivided_s"][0] == pytest.approx(2.0)


def test_a_big_blocking_send_waits_for_a_late_receive(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].send(1, 1.0, 4.3, nbytes=10_000_000)
    ranks[1].receive(0, 4.0, 4.3)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([3.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.3, 0.3])


def test_an_eager_send_waits_for_nobody(tmp_path: Path) -> None:
    # It had ended long before the receiver came.
    ranks = world(2)
    ranks[0].send(1, 1.0, 1.2, nbytes=1000)
    ranks[1].receive(0, 4.0, 4.1)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == [0.0, 0.0]
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.2, 0.1])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_big_send_waits_until_its_receive_is_posted(tmp_path: Path) -> None:
    # Sent at 1.0, posted at 2.0, so of the 2 s in MPI_Send one was waiting. The posts name the message.
    ranks = world(2)
    ranks[0].send(1, 1.0, 3.0, nbytes=10_000_000)
    ranks[1].event(EventKind.POSTED, "MPI_Irecv", 2.0, 2.0, peer=0)
    ranks[1].receive(0, 2.5, 3.0, "MPI_Waitall")
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([1.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([1.0, 0.5])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_big_send_waits_for_a_receiver_that_had_posted_and_went_on(tmp_path: Path) -> None:
    # Posted at 0.5; sent at 1.0; rank 1 computes until it waits for the message at 2.5, and takes it until 3.0.
    ranks = world(2)
    ranks[0].send(1, 1.0, 3.0, nbytes=100_000)
    ranks[1].event(EventKind.POSTED, "MPI_Irecv", 0.5, 0.5, peer=0)
    ranks[1].cell("MPI_Wait", 0.5).event(EventKind.RECEIVE, "MPI_Wait", 2.5, 3.0, peer=0)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([1.5, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.5, 0.5])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_big_send_that_ends_before_the_receiver_comes_waited_for_nobody(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].send(1, 1.0, 2.0, nbytes=100_000)
    ranks[1].event(EventKind.POSTED, "MPI_Irecv", 0.5, 0.5, peer=0)
    ranks[1].cell("MPI_Wait", 0.5).event(EventKind.RECEIVE, "MPI_Wait", 2.5, 3.0, peer=0)
    assert account(load(write_all(ranks, tmp_path))).ledger["mpi_wait_s"].tolist() == pytest.approx([0.0, 0.0])


def test_a_big_send_to_a_receive_posted_unseen_waits_for_the_receivers_next_call(tmp_path: Path) -> None:
    # Such as a persistent one with a wildcard.
    ranks = world(2)
    ranks[0].send(1, 1.0, 3.0, nbytes=10_000_000)
    ranks[1].receive(0, 2.5, 3.0, "MPI_Waitall")
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([1.5, 0.0])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_sendrecv_counts_once(tmp_path: Path) -> None:
    ranks = world(2)
    for rank, entry_s in ((0, 1.0), (1, 2.0)):
        peer = 1 - rank
        ranks[rank].send(peer, entry_s, 2.5, "MPI_Sendrecv", nbytes=8)
        ranks[rank].receive(peer, entry_s, 2.5, "MPI_Sendrecv")
        ranks[rank].cells.clear()
        ranks[rank].cell("MPI_Sendrecv", 2.5 - entry_s, nbytes=8, peer=peer)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([1.0, 0.0])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.5, 0.5])


def test_messages_whose_number_wrapped_are_not_paired(tmp_path: Path) -> None:
    ranks = world(2)
    ranks[0].receive(1, 1.0, 2.0, seq=5).receive(1, 3.0, 4.0, seq=5)
    ranks[1].send(0, 1.9, 1.95, seq=5)
    write_all(ranks, tmp_path)
    ledger = account(load(tmp_path)).ledger
    assert ledger["mpi_wait_s"].tolist() == [0.0, 0.0]
    assert ledger["mpi_undivided_s"][0] == pytest.approx(2.0)


def of_a_sample(receiver_late_s: float, takes_s: float) -> list[Rank]:
    """Sixty large sends, 3 s apart: level 3 keeps those of more than 80 ms, and the receives in some windows."""
    ranks = world(2, end_s=200.0, event_level=3)
    for turn in range(60):
        sent_s = 3.0 * turn + 0.5
        came_s = sent_s + receiver_late_s
        ranks[0].send(1, sent_s, max(sent_s, came_s) + takes_s, nbytes=100_000)
        ranks[1].receive(0, came_s, max(sent_s, came_s) + takes_s)
    return ranks


def test_long_sends_of_a_sample_whose_short_receive_is_missing_waited_for_it(tmp_path: Path) -> None:
    ledger = account(load(write_all(of_a_sample(receiver_late_s=2.0, takes_s=0.05), tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([120.0, 0.0], rel=0.05, abs=3.0)
    assert ledger["mpi_undivided_s"][0] < 3.0


def test_long_receives_of_a_sample_whose_short_send_is_missing_waited_for_it(tmp_path: Path) -> None:
    ranks = world(2, end_s=200.0, event_level=3)
    for turn in range(60):
        ranks[0].receive(1, 3.0 * turn + 0.5, 3.0 * turn + 2.52, nbytes=8)
        ranks[1].send(0, 3.0 * turn + 2.5, 3.0 * turn + 2.51, nbytes=8)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([120.0, 0.0], rel=0.05, abs=3.0)


def test_long_receives_of_a_sample_over_a_slow_network_do_not_wait(tmp_path: Path) -> None:
    """All were sent before: the data takes long, as those show whose sends are on record."""
    ranks = world(2, end_s=200.0, event_level=3)
    for turn in range(60):
        ranks[0].receive(1, 3.0 * turn + 0.5, 3.0 * turn + 2.5, nbytes=100_000)
        ranks[1].send(0, 3.0 * turn + 0.49, 3.0 * turn + 0.5, nbytes=100_000)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"][0] == pytest.approx(0.0, abs=1e-6)
    assert ledger["mpi_transfer_s"][0] == pytest.approx(120.0, rel=0.01)


def test_a_long_send_of_a_sample_to_a_rank_in_a_long_call_stays_undivided(tmp_path: Path) -> None:
    ranks = of_a_sample(receiver_late_s=2.0, takes_s=0.05)
    ranks[0].send(1, 185.0, 189.0, nbytes=100_000)
    ranks[1].cell("MPI_Sendrecv", 5.0).event(EventKind.RECEIVE, "MPI_Sendrecv", 184.0, 189.0, peer=0, tag=9, seq=7)
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_undivided_s"][0] == pytest.approx(4.0, abs=3.0)
