"""What each CPU sends to each other in the transpose of a PME grid: computed, not simulated."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.predict.models.grids import SINGLE_COMPLEX, Grid, divisible, transpose_bytes
from clearway.predict.models.programs.gromacs33 import SYSTEMS
from papers import notation
from papers.claim import Claim, exactly
from papers.point import Outcome

WHERE = "Systematic Tests"
GUANYLIN: Grid = (30, 30, 21)
PUBLISHED = {
    ("AQP1", 4): 173_184,
    ("AQP1", 8): 43_296,
    ("AQP1", 16): 11_808,
    ("AQP1", 32): 2_952,
    ("Guanylin", 4): 5_632,
    ("Guanylin", 8): 1_408,
}


def claims() -> list[Claim]:
    return [claim(system, ranks, published) for (system, ranks), published in PUBLISHED.items()]


def claim(system: str, ranks: int, published: int) -> Claim:
    grid = SYSTEMS["aqp1"].grid if system == "AQP1" else GUANYLIN

    def figure(_: Sequence[Outcome]) -> float:
        return float(transpose_bytes(divisible(grid, ranks), ranks, SINGLE_COMPLEX))

    return Claim(
        WHERE,
        f"S in bytes, {system}, {ranks} CPUs",
        *exactly(published),
        notation.number,
        (),
        figure,
    )
