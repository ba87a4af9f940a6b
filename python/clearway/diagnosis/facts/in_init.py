"""How long each rank was in MPI_Init for its own sake."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.ledger.starting import INIT


def init_s(case: Case) -> NDArray[np.float64]:
    """By process: in MPI_Init, without waiting for ranks that came late, and for a core."""
    calls, books = case.run.calls, case.books
    mine = calls.main & case.run.functions.named(*INIT)[calls.function]
    process = calls.process[mine]
    time_s = case.run.seconds(process, calls.data["ticks"][mine]) - calls.data["run_delay_ns"][mine] * 1e-9
    all_s = np.bincount(process, time_s, minlength=case.ranks)
    result: NDArray[np.float64] = np.clip(all_s - books.starting.wait_s, 0.0, None)
    return result
