"""How much of a recorded rank's computing it was on a core, and how much it waited for one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clearway.ledger import Account
from clearway.ledger.cores import cores
from clearway.run import Run

MOSTLY = 0.5


def waits_that_go_s(run: Run, books: Account) -> NDArray[np.float64]:
    """By process: its waiting for a core outside MPI and files.

    A core that another thread of the process had meanwhile worked for the job: that is no waiting which would go away.
    """
    ledger = books.ledger
    in_mpi_s = np.bincount(books.units.process, books.weight * books.split.core_wait_s, len(ledger))
    waited_s = np.maximum(ledger["core_wait_s"] - in_mpi_s, 0.0)
    made = cores(run, books)
    own_threads_s = np.minimum(made.table["displaced_s"], waited_s) if made else np.zeros(len(ledger))
    goes_s: NDArray[np.float64] = waited_s - own_threads_s
    return goes_s


def shares_on_a_core(run: Run, books: Account, computing_s: Sequence[float]) -> list[float]:
    """By process, of the computing that its Script has: all that it did outside MPI, sleeping and files among it."""
    whole_s = np.asarray(computing_s)
    part = np.divide(waits_that_go_s(run, books), whole_s, out=np.zeros(len(whole_s)), where=whole_s > 0)
    return [1.0 - min(float(waited), 1.0) for waited in part]


def mostly_blocked(run: Run, computing_s: Sequence[float]) -> bool:
    """Whether what a Script calls computing is mostly sleeping, or waiting for something else that needs no core."""
    return float(run.threads.data["blocked_outside_ns"].sum()) * 1e-9 > MOSTLY * sum(computing_s)
