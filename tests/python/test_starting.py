"""MPI_Init as a call like others, against answers worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from python.made_runs import FUNCTIONS, SECOND, TICKS, Rank, State, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import late_start
from clearway.ledger import account
from clearway.run import load
from clearway.run.layout import EventKind


def begun(rank: int, entry_s: float, exit_s: float, size: int = 3, **more: Any) -> Rank:
    """A rank that was in MPI_Init from here to there."""
    made = Rank(rank, size, **more)
    made.header["mpi_begin"] = made.machine.instant(exit_s)
    return made.cell("MPI_Init", exit_s - entry_s)


def before_init(rank: int, in_it: bool) -> Rank:
    """One whose record ends after 20 s, in MPI_Init or before it."""
    thread = {"call_function": FUNCTIONS.index("MPI_Init") + 1, "call_entry_ticks": TICKS + SECOND} if in_it else {}
    made = Rank(-1, 0, end_s=20.0, state=State.STARTED, thread=thread)
    made.header["pid"] = 1000 + rank
    return made.fact("process.launched_rank", str(rank))


def case(directory: Path, *ranks: Rank) -> Case:
    return open_case(load(write_all(list(ranks), directory)))


def never(directory: Path) -> Case:
    """Rank 1 of three never comes; it was recorded last, so its place is not that of its start."""
    for rank in (2, 0, 1):
        (directory / f"rank.a.{rank}.cwr").write_bytes(before_init(rank, in_it=rank != 1).record())
    return open_case(load(directory))


def test_everyone_waits_in_init_for_the_last(tmp_path: Path) -> None:
    ranks = [begun(0, 1.0, 5.2), begun(1, 5.0, 5.1), begun(2, 2.0, 5.2)]
    ledger = account(load(write_all(ranks, tmp_path))).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([4.0, 0.0, 3.0])
    assert ledger["other_s"].tolist() == pytest.approx([0.2, 0.1, 0.2])
    assert ledger["mpi_transfer_s"].tolist() == pytest.approx([0.0, 0.0, 0.0])
    assert ledger["residue_s"].tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_an_mpi_that_lets_ranks_go_makes_nobody_wait(tmp_path: Path) -> None:
    ranks = [begun(0, 1.0, 1.5), begun(1, 5.0, 5.1), begun(2, 2.0, 2.6)]
    books = account(load(write_all(ranks, tmp_path)))
    assert books.ledger["mpi_wait_s"].tolist() == [0.0, 0.0, 0.0]
    assert books.ledger["other_s"].tolist() == pytest.approx([0.5, 0.1, 0.6])


def test_a_rank_that_comes_seconds_late_is_named_with_what_it_did(tmp_path: Path) -> None:
    late = begun(1, 5.0, 5.1, thread={"blocked_outside_ns": 4 * SECOND})
    made = case(tmp_path, begun(0, 1.0, 5.2), late, begun(2, 1.0, 5.2))
    found = late_start.examine(made)
    assert found is not None
    assert found.says.startswith("Rank 1 on node0 reached MPI_Init 4.00 s after the others")
    assert "blocked outside MPI and files" in found.says
    # The others waited 8 s, and the rank itself was blocked for four.
    assert found.claims["start_wait_s"] == pytest.approx(8.0)
    assert found.claims["blocked_s"] == pytest.approx(4.0, abs=0.1)
    assert made.losses.start_wait_s == pytest.approx(8.0)


def test_what_it_does_longer_afterwards_did_not_make_it_late(tmp_path: Path) -> None:
    """Blocked for 0.3 s before MPI_Init, and later it computes four seconds longer than the others."""
    ranks = [begun(rank, 1.0, 1.4) for rank in (0, 2)]
    ranks.insert(1, begun(1, 1.3, 1.4, thread={"blocked_outside_ns": 3 * SECOND // 10}))
    for rank, entry_s in zip(ranks, (1.0, 1.3, 1.0), strict=True):
        blocked_s = 0.3 if rank.rank == 1 else 0.0
        rank.event(EventKind.BEGUN, "MPI_Init", entry_s, 1.4, blocked_before_s=blocked_s)
        rank.collective("MPI_Barrier", 8.0 if rank.rank == 1 else 4.0, 8.0)
    found = late_start.examine(case(tmp_path, *ranks))
    assert found is not None
    assert "blocked outside MPI and files" in found.says
    assert found.claims["start_wait_s"] == pytest.approx(0.6)
    assert found.claims["blocked_s"] == pytest.approx(0.3)
    assert found.claims["compute_s"] == pytest.approx(0.0, abs=1e-6), "it computed for as long until then"


def test_a_process_that_was_started_late_is_told_from_a_program_that_was(tmp_path: Path) -> None:
    late = begun(1, 5.0, 5.1, begin_s=4.0, recording_s=4.0)
    found = late_start.examine(case(tmp_path, begun(0, 1.0, 5.2), late, begun(2, 1.0, 5.2)))
    assert found is not None
    assert "was started 4.00 s after the others" in found.says


def loads_until(rank: int, recording_s: float, together_s: float = 0.2) -> Rank:
    """It comes to MPI_Init as soon as its record begins."""
    entry_s = recording_s + 0.1
    made = begun(rank, entry_s, entry_s + together_s, recording_s=recording_s)
    return made.event(EventKind.BEGUN, "MPI_Init", entry_s, entry_s + together_s)


def test_a_rank_that_takes_longer_to_load_on_a_busy_host_is_no_fault(tmp_path: Path) -> None:
    """Whether it was blocked then, or had no core, nothing tells."""
    ranks = [loads_until(0, 0.05, 0.85), loads_until(1, 0.75), loads_until(2, 0.05, 0.85)]
    made = case(tmp_path, *ranks)
    assert made.losses.start_wait_s == pytest.approx(1.4)
    assert late_start.examine(made) is None


def test_a_rank_that_takes_seconds_to_load_is_not_said_to_be_blocked(tmp_path: Path) -> None:
    ranks = [loads_until(0, 0.05, 4.2), loads_until(1, 4.05), loads_until(2, 0.05, 4.2)]
    found = late_start.examine(case(tmp_path, *ranks))
    assert found is not None
    assert "before it ran any of its own code" in found.says
    assert "blocked" not in found.says
    assert found.claims["blocked_s"] == pytest.approx(4.0)
    assert "longer before its record began" in {each.what for each in found.evidence}


def test_ranks_that_a_launcher_starts_one_after_the_other_are_no_fault(tmp_path: Path) -> None:
    ranks = [begun(rank, 0.1 + 0.4 * rank, 1.2) for rank in range(3)]
    made = case(tmp_path, *ranks)
    assert made.losses.start_wait_s == pytest.approx(1.2)
    assert late_start.examine(made) is None


def test_what_made_a_rank_late_to_init_is_not_what_others_wait_for_later(tmp_path: Path) -> None:
    # Rank 1 was blocked for 4 s before MPI_Init; later rank 0 waits for it, for no lasting reason.
    ranks = [begun(0, 1.0, 5.1, 2), begun(1, 5.0, 5.1, 2, thread={"blocked_outside_ns": 4 * SECOND})]
    ranks[1].event(EventKind.BEGUN, "MPI_Init", 5.0, 5.1, blocked_before_s=4.0)
    ranks[0].collective("MPI_Barrier", 6.0, 8.0)
    ranks[1].collective("MPI_Barrier", 8.0, 8.0)
    lost = case(tmp_path, *ranks).losses
    assert lost.blocked_s == pytest.approx(4.0 + 0.1 + 0.1)  # MPI_Init itself took 0.1 s
    assert lost.start_wait_s == pytest.approx(4.0)


def test_who_never_comes_is_named_by_the_rank_that_its_launcher_gave_it(tmp_path: Path) -> None:
    made = never(tmp_path)
    assert made.run.processes["rank"].tolist() == [0, 1, 2]
    assert made.books.ledger["mpi_wait_s"].tolist() == pytest.approx([19.0, 0.0, 19.0])
    found = late_start.examine(made)
    assert found is not None
    assert found.says.startswith(
        "Rank 1 on node0 never reached MPI_Init. The other 2 have waited in it from second 1.0"
    )
    assert made.at_once == 3


def test_who_has_no_record_is_named_by_what_the_launcher_told_the_others(tmp_path: Path) -> None:
    """The launcher's own processes, which were recorded, too, are no ranks."""
    for rank in (0, 2):
        made = before_init(rank, in_it=True).fact("process.launched_size", "3")
        (tmp_path / f"rank.a.{rank}.cwr").write_bytes(made.record())
    shell = Rank(-1, 0, end_s=20.0, state=State.STARTED)
    (tmp_path / "rank.a.77.cwr").write_bytes(shell.record())
    made = open_case(load(tmp_path))
    assert made.run.processes["rank"].tolist() == [0, 2]
    assert made.books.ledger["mpi_wait_s"].tolist() == pytest.approx([19.0, 19.0])
    found = late_start.examine(made)
    assert found is not None
    assert found.title == "A rank never starts"
    assert found.says.startswith("Rank 1 has left no record, while the other 2 have waited in MPI_Init from second 1.0")


def test_the_only_rank_with_a_record_waits_for_one_without(tmp_path: Path) -> None:
    made = before_init(0, in_it=True).fact("process.launched_size", "2")
    (tmp_path / "rank.a.0.cwr").write_bytes(made.record())
    losses = open_case(load(tmp_path)).losses
    assert losses.start_wait_s == pytest.approx(19.0)
    assert losses.io_s == losses.imbalance_s == 0.0


def test_all_ranks_in_init_for_a_moment_wait_for_nobody(tmp_path: Path) -> None:
    for rank in (0, 1, 2):
        made = before_init(rank, in_it=True).fact("process.launched_size", "3")
        (tmp_path / f"rank.a.{rank}.cwr").write_bytes(made.record())
    assert late_start.examine(open_case(load(tmp_path))) is None
