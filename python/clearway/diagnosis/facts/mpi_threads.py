"""What the MPI's own threads used of the cores: those that it started in MPI_Init, beside the program's."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.run.layout import THREAD_OF_MPI, THREAD_OF_RECORD

BUSY = 0.05  # of the wall-clock: those that wait for connections and events take less


def busy_threads(case: Case) -> Counter[int]:
    """By process: how many of the MPI's threads are busy."""
    return Counter(case.run.thread_uses.process[_busy(case)].tolist())


def busy_threads_s(case: Case) -> NDArray[np.float64]:
    """By process: core-seconds of these threads."""
    chosen, rows = _busy(case), case.run.thread_uses
    spent_s = rows.data["cpu_ns"][chosen] * 1e-9
    return np.bincount(rows.process[chosen], spent_s, minlength=case.ranks).astype(np.float64)


def _busy(case: Case) -> NDArray[np.bool_]:
    rows, flags = case.run.thread_uses, case.run.thread_uses.data["flags"]
    main = rows.data["tid"] == case.run.threads.data["tid"][rows.process]
    of_mpi = (flags & THREAD_OF_MPI != 0) & (flags & THREAD_OF_RECORD == 0) & ~main
    busy: NDArray[np.bool_] = of_mpi & (rows.data["cpu_ns"] * 1e-9 > BUSY * case.wall_s)
    return busy
