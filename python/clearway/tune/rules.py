"""How long a race goes on, and what is worth a change of a job script."""

from __future__ import annotations

import math
from dataclasses import dataclass

PROMISING = 0.99  # of the unchanged job's time, by all runs so far
WORTH_CHANGING = 0.99  # of the unchanged job's time: less is no reason to touch a job script
ROUNDS = 8  # of the proof, at most


@dataclass(frozen=True, slots=True)
class Rules:
    """How long it goes on."""

    within: float = 0.03  # the best is to be known so well
    rounds: int = ROUNDS
    seed: int = 0  # of the order within rounds

    @property
    def allowed(self) -> float:
        """As a logarithm."""
        return math.log1p(self.within)
