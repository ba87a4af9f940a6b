"""MPI_Finalize: who came to it when, and how long each stood in it for a rank that had not come.

A record says when MPI_Finalize was entered, and how long the call took. MPIs that let a rank out of it before all have
come make nobody wait: then nothing is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.run.run import Run, to_seconds

FINALIZE = "MPI_Finalize"


@dataclass(frozen=True)
class Ending:
    """By process index, seconds of the Run."""

    entry_s: NDArray[np.float64]
    wait_s: NDArray[np.float64]  # part of the call


def ending(run: Run, books: Account) -> Ending | None:
    """None where a process did not come to MPI_Finalize, or where their clocks cannot be compared."""
    ticks = np.array([int(record.header["mpi_end"]["ticks"]) for record in run.records], np.uint64)
    if len(ticks) < 2 or not ticks.all() or not run.processes["aligned"].all():
        return None
    entry_s = to_seconds(run.processes, ticks)
    exit_s = entry_s + _inside_s(run, books)
    wait_s: NDArray[np.float64] = np.clip(np.minimum(exit_s, entry_s.max()) - entry_s, 0.0, None)
    return Ending(entry_s, wait_s)


def _inside_s(run: Run, books: Account) -> NDArray[np.float64]:
    """How long each process was in the call; of one in which the record ends, until then."""
    calls, named = run.calls, run.functions.named(FINALIZE)
    mine = calls.main & named[calls.function]
    process = calls.process[mine]
    time_s = np.bincount(process, run.seconds(process, calls.data["ticks"][mine]), minlength=len(run.processes))
    result: NDArray[np.float64] = time_s.astype(np.float64)
    return result + np.where(named[run.main_call], books.open_calls.time_s, 0.0)
