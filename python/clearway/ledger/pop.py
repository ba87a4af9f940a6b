"""The POP metrics (pop-coe.eu), from the ledgers of all ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pop:
    """POP metrics (pop-coe.eu): parallel = load_balance x communication, communication = serialisation x transfer."""

    parallel_efficiency: float
    load_balance: float
    communication_efficiency: float
    serialisation_efficiency: float | None
    transfer_efficiency: float | None


def pop(ledger: NDArray[np.void]) -> Pop:
    """Efficiencies of a Run. `ledger` has one LEDGER row a process.

    Useful time is computing. The run time on an ideal network is taken to be that of the rank which would then
    end last, its own transfers and stalls left out: an upper bound, since its waits would shrink as well.
    """
    useful = ledger["compute_s"]
    runtime = float(ledger["wall_s"].max())
    most_useful = float(useful.max())
    load_balance = float(useful.mean()) / most_useful if most_useful > 0 else 1.0
    communication = most_useful / runtime if runtime > 0 else 1.0
    ideal = float((ledger["wall_s"] - ledger["mpi_transfer_s"] - ledger["mpi_stall_s"]).max())
    ideal = min(max(ideal, most_useful), runtime)
    return Pop(
        parallel_efficiency=load_balance * communication,
        load_balance=load_balance,
        communication_efficiency=communication,
        serialisation_efficiency=most_useful / ideal if ideal > 0 else None,
        transfer_efficiency=ideal / runtime if runtime > 0 else None,
    )
