"""The Runs that laws are made of, beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.predict.scaling.answer import Scaling
from clearway.predict.scaling.counts import CountLaw
from clearway.predict.scaling.measured import Count, Measured, Site

COMPUTE, CORE_WAIT = "compute_s", "core_wait_s"
WAIT, TRANSFER, STALL = "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s"
NOTHING = Count(0, 0, 0.0, 0.0)

Numbers = NDArray[np.float64]
Laws = Mapping[Site, tuple[CountLaw | None, CountLaw | None]]  # of calls, and of bytes


@dataclass(frozen=True)
class Runs:
    """Columns by Run, fewest ranks first."""

    all: tuple[Measured, ...]
    works: tuple[float, ...]
    ranks: tuple[int, ...]
    wall_s: tuple[float, ...]  # a rank
    scaling: Scaling

    def fitted(self, ranks: int) -> float:
        """What seconds a rank are multiplied with before they are fitted."""
        return float(ranks) if self.scaling is Scaling.STRONG else 1.0
