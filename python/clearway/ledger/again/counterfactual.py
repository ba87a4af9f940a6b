"""The ledger that a job would have had with other durations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import LINES, Account
from clearway.ledger.again.calls import JobCalls, job_calls
from clearway.ledger.again.replay import Durations, Replayed, lines, recorded, replay
from clearway.ledger.timelines import DOING
from clearway.run import Run

LINE_OF = {  # of the ledger, by what a process may be doing
    "compute": "compute_s",
    "core_wait": "core_wait_s",
    "io": "io_s",
    "blocked": "other_s",
    "transfer": "mpi_transfer_s",
    "stall": "mpi_stall_s",
    "wait": "mpi_wait_s",
}
AS_THEY_ARE = ("compute_s", "mpi_wait_s")

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RecordedJob:
    """Its calls, and what comes of them where nothing is otherwise."""

    books: Account
    calls: JobCalls
    as_it_was: Replayed
    was_s: _Seconds  # processes x DOING

    @property
    def check(self) -> float:
        """Replayed unchanged ÷ recorded."""
        return float(self.was_s.sum() / max(self.calls.covered_s.sum(), 1e-12))


def recorded_job(run: Run, books: Account) -> RecordedJob:
    calls = job_calls(run, books)
    as_it_was = replay(calls, recorded(calls))
    return RecordedJob(books, calls, as_it_was, lines(calls, recorded(calls), as_it_was))


def ledger_with(job: RecordedJob, durations: Durations, anew: Collection[str] = ()) -> dict[str, _Seconds]:
    """By line of the ledger: seconds of each process.

    What the replayed calls gain and lose is booked on the exact lines: computing and waiting as they are, and so are
    those `anew`; the others in proportion, for all of them that is known to be there is in the calls: but for the call
    in which the record of a killed job ends, which stays as it is. Where the calls
    are a sample, they stand for as much of the job as they cover.
    """
    calls, books = job.calls, job.books
    replayed = replay(calls, durations)
    now_s = lines(calls, durations, replayed)
    stretched = 1.0 if calls.whole else books.ledger["wall_s"] / np.maximum(calls.covered_s, 1e-12)
    was = {line: stretched * job.was_s[:, DOING.index(doing)] for doing, line in LINE_OF.items()}
    now = {line: stretched * now_s[:, DOING.index(doing)] for doing, line in LINE_OF.items()}
    made = _reconciled(books, was)
    for line in LINES:
        if line in AS_THEY_ARE or line in anew:
            made[line] = np.maximum(made[line] + now[line] - was[line], 0.0)
        else:
            open_s = np.minimum(calls.open_s, made[line]) if line == "mpi_transfer_s" else 0.0
            part = np.divide(now[line], was[line], out=np.ones(len(made[line])), where=was[line] > 0)
            made[line] = open_s + (made[line] - open_s) * part
    if calls.whole:
        # All end together: who is done earlier waits in MPI_Finalize for the last.
        made["other_s"] = made["other_s"] + _idle_s(replayed.end_s) - _idle_s(job.as_it_was.end_s)
    return made


def _reconciled(books: Account, was: dict[str, _Seconds]) -> dict[str, _Seconds]:
    """The ledger, with the waiting that only the replay knows of: inside of collectives that pass data along a tree,
    where the ledger has it as moving data.
    """
    made = {line: books.ledger[line].astype(np.float64) for line in LINES}
    more_s = np.clip(was["mpi_wait_s"] - made["mpi_wait_s"], 0.0, made["mpi_transfer_s"])
    made["mpi_wait_s"] += more_s
    made["mpi_transfer_s"] -= more_s
    return made


def _idle_s(end_s: _Seconds) -> _Seconds:
    result: _Seconds = end_s.max() - end_s
    return result
