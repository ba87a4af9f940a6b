"""What ranks waited for in MPI: one row a cause, of those who were waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearway.ledger import Account
from clearway.ledger.delays import Delays
from clearway.ledger.timelines import DOING
from clearway.run import Run

# What the ranks that were waited for did longer, by the word of timelines.DOING.
PHRASES = {
    "compute": "for ranks that computed longer",
    "core_wait": "for ranks without a core",
    "io": "for ranks in file functions",
    "blocked": "for ranks blocked outside MPI",
    "transfer": "for ranks that moved data longer",
    "stall": "for ranks whose data was lost",
    "start": "for ranks that reached MPI_Init late",
    "newcomers": "for processes to start or connect",
    "open": "in calls that did not return",
    "unknown": "for unknown reasons",
}


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds of the ledger's line "MPI waiting for others", by what the others did."""

    cause: str  # a key of PHRASES
    what: str  # in words
    seconds: float  # summed over all ranks that waited
    most_rank: int | None  # rank that was waited for most; None if unknown
    most_s: float  # seconds waiting for that rank


def waited(run: Run, books: Account, charged: Delays) -> tuple[Waited, ...]:
    """Most time first, what is not known last. They add up to the line."""
    all_s, start_s = float(books.ledger["mpi_wait_s"].sum()), float(books.starting.wait_s.sum())
    by_late = charged.by_late(len(run.processes))
    known_s = max(all_s - start_s, 0.0)
    by_late = by_late * min(known_s / max(float(by_late.sum()), 1e-12), 1.0)
    rows = [_row(run, cause, column) for cause, column in zip(DOING, by_late.T, strict=True) if cause in PHRASES]
    rest_s = all_s - sum(row.seconds for row in rows) - min(start_s, all_s)
    open_s = min(float(books.open_calls.wait_s.sum()), max(rest_s, 0.0))
    new_s = min(float(books.newcomers_s.sum()), max(rest_s - open_s, 0.0))
    rest_s -= open_s + new_s
    known = [row for row in rows if row.cause != "unknown"]
    known.append(Waited("start", PHRASES["start"], min(start_s, all_s), None, 0.0))
    known.append(Waited("open", PHRASES["open"], open_s, None, 0.0))
    known.append(Waited("newcomers", PHRASES["newcomers"], new_s, None, 0.0))
    unknown_s = max(rest_s, 0.0) + sum(row.seconds for row in rows if row.cause == "unknown")
    ordered = sorted(known, key=lambda row: -row.seconds)
    ordered.append(Waited("unknown", PHRASES["unknown"], unknown_s, None, 0.0))
    return tuple(row for row in ordered if row.seconds > 1e-9)


def _row(run: Run, cause: str, by_late: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Waited:
    most = int(np.argmax(by_late))
    return Waited(cause, PHRASES[cause], float(by_late.sum()), int(run.processes["rank"][most]), float(by_late[most]))
