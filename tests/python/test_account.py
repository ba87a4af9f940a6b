"""The ledger as a whole: every line, and that they add up whatever the record says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from python.made_runs import TICKS, EventKind, Rank, SegmentKind, State, connect, world, write_all

from clearway.ledger import account
from clearway.ledger.account import LINES
from clearway.ledger.pop import pop
from clearway.run import load


def one(directory: Path, *ranks: Rank) -> dict[str, float]:
    """The ledger of the first rank."""
    write_all(list(ranks), directory)
    ledger = account(load(directory)).ledger
    return {name: float(ledger[name][0]) for name in ledger.dtype.names or ()}


def ns(seconds: float) -> int:
    return round(seconds * 1e9)


def test_every_line_has_its_seconds(tmp_path: Path) -> None:
    # 20 s: 1 s before recording, MPI_Init 0.5 and MPI_Finalize 0.25, a 2 s barrier of one's own, 1.5 s in files (0.25
    # of them off the core), MPI-IO 0.75, off the core outside MPI 1.25, asleep 0.5: computing is what is left.
    rank = Rank(
        0,
        1,
        end_s=20.0,
        recording_s=1.0,
        thread={
            "io_ticks": ns(1.5),
            "run_delay_ns": ns(1.5),
            "run_delay_in_io_ns": ns(0.25),
            "blocked_outside_ns": ns(0.5),
        },
    )
    rank.cell("MPI_Init", 0.5).cell("MPI_Finalize", 0.25).cell("MPI_File_write", 0.75)
    rank.collective("MPI_Barrier", 5.0, 7.0)
    ledger = one(tmp_path, rank)
    assert ledger["wall_s"] == pytest.approx(20.0)
    assert ledger["mpi_transfer_s"] == pytest.approx(2.0)
    assert ledger["mpi_wait_s"] == 0.0
    assert ledger["io_s"] == pytest.approx(1.25 + 0.75)
    assert ledger["core_wait_s"] == pytest.approx(1.5)
    assert ledger["other_s"] == pytest.approx(1.0 + 0.5 + 0.25 + 0.5)
    assert ledger["compute_s"] == pytest.approx(20 - 2 - 2 - 1.5 - 2.25)
    assert ledger["residue_s"] == pytest.approx(0.0, abs=1e-9)


def test_overlapping_claims_are_shown(tmp_path: Path) -> None:
    ledger = one(tmp_path, Rank(0, 1, end_s=4.0).cell("MPI_Recv", 3.0).cell("MPI_File_write", 3.0))
    assert ledger["compute_s"] == 0.0
    assert ledger["residue_s"] == pytest.approx(-2.0)


def test_the_call_that_the_record_ends_in_counts(tmp_path: Path) -> None:
    # Killed at 9.0 in an MPI_Recv entered at 6.0.
    thread = {"call_function": 4, "call_entry_ticks": TICKS + ns(6.0)}
    ledger = one(tmp_path, Rank(0, 2, end_s=9.0, state=State.RUNNING, thread=thread))
    assert ledger["wall_s"] == pytest.approx(9.0)
    assert ledger["mpi_wait_s"] == pytest.approx(3.0)
    assert ledger["mpi_transfer_s"] == ledger["mpi_undivided_s"] == pytest.approx(0.0)
    assert ledger["compute_s"] == pytest.approx(6.0)


def test_only_the_main_thread_makes_the_ledger(tmp_path: Path) -> None:
    rank = Rank(0, 1).cell("MPI_Recv", 1.0).cell("MPI_Recv", 5.0, thread=1)
    assert one(tmp_path, rank)["mpi_transfer_s"] == pytest.approx(1.0)


def test_a_rank_that_is_preempted_while_it_sends(tmp_path: Path) -> None:
    rank = Rank(0, 2, thread={"run_delay_ns": ns(0.4), "run_delay_in_mpi_ns": ns(0.4)})
    rank.cell("MPI_Isend", 1.0, run_delay_s=0.4)
    ledger = one(tmp_path, rank)
    assert ledger["core_wait_s"] == pytest.approx(0.4)
    assert ledger["mpi_transfer_s"] == pytest.approx(0.6)
    assert ledger["mpi_undivided_s"] == pytest.approx(0.0)


def test_pop_of_an_uneven_job(tmp_path: Path) -> None:
    # Useful 8 and 4 of 10 s; rank 0 moves data for 2 s, rank 1 for 2 s and waits 4.
    ranks = world(2)
    ranks[0].collective("MPI_Barrier", 8.0, 10.0)
    ranks[1].collective("MPI_Barrier", 4.0, 10.0)
    write_all(ranks, tmp_path)
    result = pop(account(load(tmp_path)).ledger)
    assert result.load_balance == pytest.approx(0.75)
    assert result.communication_efficiency == pytest.approx(0.8)
    assert result.parallel_efficiency == pytest.approx(0.6)
    assert result.transfer_efficiency == pytest.approx(0.8)
    assert result.serialisation_efficiency == pytest.approx(1.0)


CALLS = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Recv", "MPI_Send", "MPI_Waitall"]),
    st.floats(0, 9),
    st.floats(0, 4),
    st.floats(0, 2),
    st.integers(0, 2),
)
THREAD = st.fixed_dictionaries(
    {
        name: st.integers(0, 8 * 10**9)
        for name in (
            *("io_ticks", "run_delay_ns", "run_delay_in_mpi_ns", "run_delay_in_io_ns"),
            *("blocked_outside_ns", "cpu_ns"),
        )
    }
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    calls=st.lists(CALLS, max_size=30),
    threads=st.lists(THREAD, min_size=3, max_size=3),
    level=st.integers(0, 3),
    stalls=st.lists(st.tuples(st.integers(0, 2), st.floats(0, 9), st.floats(0, 3)), max_size=4),
)
def test_the_lines_add_up(
    calls: list[tuple[int, str, float, float, float, int]],
    threads: list[dict[str, int]],
    level: int,
    stalls: list[tuple[int, float, float]],
) -> None:
    """Whatever was recorded, however inconsistent: no line is negative, and lines + residue = wall-clock."""
    ranks = world(3, event_level=level)
    for rank, thread in zip(ranks, threads, strict=True):
        rank.thread = thread
        connect(rank, (rank.rank + 1) % 3)
    for rank, function, entry_s, seconds, delay_s, peer in calls:
        more = {"run_delay_s": delay_s, "peer": peer, "nbytes": 8000}
        kind = {"MPI_Recv": EventKind.RECEIVE, "MPI_Waitall": EventKind.RECEIVE, "MPI_Send": EventKind.SEND}
        ranks[rank].cell(function, seconds, run_delay_s=delay_s, nbytes=8000)
        ranks[rank].event(kind.get(function, EventKind.COLLECTIVE), function, entry_s, entry_s + seconds, **more)
    for rank, begin_s, seconds in stalls:
        ticks = ranks[rank].machine.ticks
        ranks[rank].add(
            SegmentKind.STALLS, socket=0, timeouts=1, begin_ticks=ticks(begin_s), end_ticks=ticks(begin_s + seconds)
        )
    with tempfile.TemporaryDirectory() as folder:
        write_all(ranks, Path(folder))
        books = account(load(folder))
    ledger = books.ledger
    for name in LINES:
        assert (ledger[name] >= 0).all(), name
    total = sum(ledger[name] for name in LINES) + ledger["residue_s"]
    assert total.tolist() == pytest.approx(ledger["wall_s"].tolist())
    assert (ledger["residue_s"] <= 1e-9).all()
    assert (ledger["mpi_undivided_s"] <= ledger["mpi_transfer_s"] + 1e-9).all()
    mpi = ledger["mpi_wait_s"] + ledger["mpi_transfer_s"] + ledger["mpi_stall_s"]
    assert (mpi <= books.mpi_s + 1e-9).all()
    split = books.functions
    parts = split["wait_s"] + split["transfer_s"] + split["stall_s"] + split["core_wait_s"]
    assert parts.tolist() == pytest.approx(split["time_s"].tolist(), abs=1e-9)
