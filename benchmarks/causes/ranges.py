"""Ranges that parameters are drawn from: half of each is kept for runs whose seed nobody knew before."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

BANDS = 8  # of a range, equally wide by logarithm: drawn from in turns, one openly, the next one only when held out


@dataclass(frozen=True, slots=True)
class Range:
    least: float
    most: float

    def draw(self, chance: random.Random, held_out: bool) -> float:
        """Three digits, from the open half or from the other."""
        band = 2 * chance.randrange(BANDS // 2) + held_out
        return float(f"{self.at((band + chance.uniform(0.05, 0.95)) / BANDS):.3g}")

    def at(self, part: float) -> float:
        """Its value after that part of its width."""
        return self.least * math.exp(part * math.log(self.most / self.least))

    def held_out(self, value: float) -> bool:
        """Whether this value belongs to the half that is kept."""
        part = math.log(value / self.least) / math.log(self.most / self.least)
        return min(max(int(part * BANDS), 0), BANDS - 1) % 2 == 1
