"""MPI_Finalize: who came to it when, and how long each stood in it for a rank that had not come.

A record says when MPI_Finalize was entered, and how long the call took. MPIs that let a rank out of it before all have
come make nobody wait: then nothing is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.starting import time_in_s
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
    returned_s, _ = time_in_s(run, FINALIZE)
    still = run.functions.named(FINALIZE)[run.main_call]  # a record may end in it
    exit_s = entry_s + returned_s + np.where(still, books.open_calls.time_s, 0.0)
    wait_s: NDArray[np.float64] = np.clip(np.minimum(exit_s, entry_s.max()) - entry_s, 0.0, None)
    return Ending(entry_s, wait_s)
