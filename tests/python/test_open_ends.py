"""Records that end in the middle: a call that nobody left, and time of which no call tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from python.made_runs import FUNCTIONS, SECOND, TICKS, Rank, SegmentKind, State, write_all

from clearway.ledger import Account, account
from clearway.page.build import summarise
from clearway.run import load


def stuck(rank: int, function: str = "", since_s: float = 0.0, **thread: Any) -> Rank:
    """A rank whose record ends after 20 s, in a call or in none."""
    if function:
        thread |= {"call_function": FUNCTIONS.index(function) + 1, "call_entry_ticks": TICKS + round(since_s * SECOND)}
    return Rank(rank, 2, end_s=20.0, state=State.RUNNING, thread=thread)


def cpu(rank: Rank, seconds: float, ready_s: float = 0.0) -> Rank:
    """What the process's counters say of its whole life."""
    rank.add(SegmentKind.COUNTERS, name=b"process.cpu_all_threads_ns", last=round(seconds * SECOND))
    return rank.add(SegmentKind.COUNTERS, name=b"process.run_delay_all_threads_ns", last=round(ready_s * SECOND))


def books(directory: Path, *ranks: Rank) -> Account:
    return account(load(write_all(list(ranks), directory)))


def test_who_uses_no_processor_is_not_computing(tmp_path: Path) -> None:
    ledger = books(tmp_path, cpu(stuck(0), 0.0), cpu(stuck(1), 20.0)).ledger
    assert ledger["compute_s"].tolist() == pytest.approx([0.0, 20.0])
    assert ledger["other_s"].tolist() == pytest.approx([20.0, 0.0])


def test_who_was_ready_to_run_waited_for_a_core(tmp_path: Path) -> None:
    ledger = books(tmp_path, cpu(stuck(0), 9.0, ready_s=9.75), cpu(stuck(1), 20.0)).ledger
    assert ledger["compute_s"][0] == pytest.approx(9.6)  # 9 s in the 18.75 s until the last sample
    assert ledger["core_wait_s"][0] == pytest.approx(10.4)


def test_who_is_in_a_file_function_reads_or_writes(tmp_path: Path) -> None:
    ledger = books(tmp_path, cpu(stuck(0, io_depth=1), 0.0), stuck(1)).ledger
    assert ledger["io_s"][0] == pytest.approx(20.0)


def test_what_the_thread_was_seen_to_do_stays(tmp_path: Path) -> None:
    """Its own figures are exact until they were last read; the counters only tell of what came later."""
    rank = cpu(stuck(0, sampled_ticks=TICKS + 15 * SECOND, cpu_ns=15 * SECOND), 15.0)
    ledger = books(tmp_path, rank, stuck(1)).ledger
    assert 15.0 <= ledger["compute_s"][0] <= 16.1
    rank = cpu(stuck(0, sampled_ticks=TICKS + 15 * SECOND, cpu_ns=5 * SECOND), 5.0)
    assert books(tmp_path / "second", rank, stuck(1)).ledger["compute_s"][0] == pytest.approx(15.0)


def test_without_counters_nothing_is_known(tmp_path: Path) -> None:
    assert books(tmp_path, stuck(0), stuck(1)).ledger["compute_s"].tolist() == pytest.approx([20.0, 20.0])


def test_a_message_that_nobody_sends_is_waited_for(tmp_path: Path) -> None:
    ledger = books(tmp_path, stuck(0), stuck(1, "MPI_Recv", since_s=4.0)).ledger
    assert ledger["mpi_wait_s"][1] == pytest.approx(16.0)
    assert ledger["mpi_transfer_s"][1] == pytest.approx(0.0)
    assert ledger["mpi_undivided_s"][1] == pytest.approx(0.0)


def test_a_message_that_someone_sends_may_be_moving(tmp_path: Path) -> None:
    ledger = books(tmp_path, stuck(0, "MPI_Send", since_s=3.0), stuck(1, "MPI_Recv", since_s=4.0)).ledger
    assert ledger["mpi_wait_s"].tolist() == [0.0, 0.0]
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([17.0, 16.0])


@pytest.mark.parametrize("function", ["MPI_Allreduce", "MPI_Comm_dup", "MPI_Cart_create"])
def test_a_collective_that_one_rank_has_not_come_to_is_waited_in(tmp_path: Path, function: str) -> None:
    ledger = books(tmp_path, stuck(0), stuck(1, function, since_s=4.0)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([0.0, 16.0])


def test_in_a_collective_that_all_have_come_to_only_the_first_waited(tmp_path: Path) -> None:
    ledger = books(tmp_path, stuck(0, "MPI_Allreduce", since_s=10.0), stuck(1, "MPI_Allreduce", since_s=4.0)).ledger
    assert ledger["mpi_wait_s"].tolist() == pytest.approx([0.0, 6.0])
    assert ledger["mpi_undivided_s"].tolist() == pytest.approx([10.0, 10.0])


def test_a_moment_of_a_running_job_says_nothing(tmp_path: Path) -> None:
    ledger = books(tmp_path, stuck(0), stuck(1, "MPI_Allreduce", since_s=19.5)).ledger
    assert ledger["mpi_wait_s"][1] == 0.0


def test_the_cpu_time_of_a_rank_that_made_no_call_is_its_process_s(tmp_path: Path) -> None:
    page = summarise(load(write_all([cpu(stuck(0), 18.0), cpu(stuck(1), 0.0)], tmp_path)))
    assert [rank.cpu_utilisation for rank in page.ranks] == pytest.approx([0.9, 0.0])


def test_a_job_that_hung_is_not_called_sound(tmp_path: Path) -> None:
    page = summarise(load(write_all([cpu(stuck(0), 0.0), cpu(stuck(1), 0.0)], tmp_path)))
    assert "No rule covers the 100 %" in page.health
    assert "The record has no end" in page.health
    sound = summarise(load(write_all([Rank(0, 1)], tmp_path / "sound")))
    assert sound.health == "No fault found that costs more than 3 % of the wall-clock."
