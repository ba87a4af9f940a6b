"""Waiting for processes outside the job: those that MPI_Comm_spawn starts, or the other side of MPI_Comm_connect.

Once all that call it together have come, nothing else is left to wait for, and no data moves. Where the other side is
part of the Run (one half of a job connects to the other), it is waited for until it has come as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import FOR_NEWCOMERS
from clearway.ledger.divisible_calls import Units
from clearway.run.run import Run

SIDES = ("MPI_Comm_accept", "MPI_Comm_connect")


def meet_other_side(run: Run, units: Units) -> None:
    """Raises `ready_s` of accept and connect to when the other side had come."""
    accepts, connects = (np.flatnonzero(run.functions.named(name)[units.function]) for name in SIDES)
    for mine, others in ((accepts, connects), (connects, accepts)):
        for call in mine.tolist():
            met = others[(units.entry_s[others] < units.exit_s[call]) & (units.exit_s[others] > units.entry_s[call])]
            if len(met):
                nearest = met[int(np.argmin(np.abs(units.exit_s[met] - units.exit_s[call])))]
                units.ready_s[call] = max(float(units.ready_s[call]), float(units.entry_s[nearest]))


def for_newcomers_s(run: Run, units: Units, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """By unit: the part of these calls after the last of their own members had come."""
    after_s = units.exit_s - np.maximum(units.entry_s, units.ready_s)
    chosen = run.functions.named(*FOR_NEWCOMERS)[units.function]
    return np.where(chosen, weight * np.clip(after_s, 0.0, units.duration_s), 0.0)
