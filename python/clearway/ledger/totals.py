"""The lines of the ledger as plain values: of one rank, or summed over all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import LEDGER


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where every rank-second went. The lines and residue_s add up to wall_s."""

    wall_s: float
    compute_s: float
    core_wait_s: float  # runnable, but no core
    mpi_wait_s: float  # waiting for a slower rank
    mpi_transfer_s: float  # moving data
    mpi_stall_s: float  # waiting for a TCP retransmission timeout
    io_s: float  # time in file functions
    other_s: float  # blocked outside MPI and file functions, starting and stopping MPI
    residue_s: float  # wall_s minus the lines
    mpi_undivided_s: float = 0.0  # part of mpi_transfer_s that may be waiting: no partner's record shows it


def total(ledger: NDArray[np.void]) -> Ledger:
    """The sum over ranks of LEDGER rows."""
    return Ledger(**{name: float(ledger[name].sum()) for name in LEDGER.names or ()})


def added(now: Ledger, before: Ledger) -> Ledger:
    """What came between two readings; lines of a record in use may also shrink a little."""
    names = Ledger.__dataclass_fields__
    return Ledger(**{name: max(0.0, getattr(now, name) - getattr(before, name)) for name in names})
