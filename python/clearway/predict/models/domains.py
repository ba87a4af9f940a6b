"""A box cut into cells, one a rank: how it is cut best, and what neighbours need of each other."""

from __future__ import annotations

import math
from itertools import product

Box = tuple[float, float, float]
Cells = tuple[int, int, int]
"""How many along each edge; numbered with the last running fastest."""


def split(ranks: int, box: Box, reach: float) -> Cells:
    """The way to cut `box` into so many cells that sends the fewest atoms; of equals, along the first edge."""
    divisors = [number for number in range(1, ranks + 1) if ranks % number == 0]
    ways = [(x, y, ranks // (x * y)) for x, y in product(divisors, divisors) if ranks % (x * y) == 0]
    return min(ways, key=lambda cells: (sum(halo_volumes(box, cells, reach)), [-number for number in cells]))


def halo_volumes(box: Box, cells: Cells, reach: float) -> list[float]:
    """Of the eighth shell, along each edge: a slice of the cell, with what came along the edges before.

    Along an edge that is not cut nothing is sent.
    """
    lengths = [whole / number for whole, number in zip(box, cells, strict=True)]
    volumes = []
    for edge, number in enumerate(cells):
        others = lengths[:edge] + lengths[edge + 1 :]
        volumes.append(min(reach, box[edge] - lengths[edge]) * math.prod(others) if number > 1 else 0.0)
        if number > 1:
            lengths[edge] += reach
    return volumes


def halo_atoms(atoms: int, box: Box, cells: Cells, reach: float) -> list[int]:
    density = atoms / math.prod(box)
    return [round(volume * density) for volume in halo_volumes(box, cells, reach)]


def halo_pulses(box: Box, cells: Cells, reach: float) -> list[int]:
    """Messages one after another along each edge: more than one where cells are thinner than `reach`."""
    return [
        min(number - 1, math.ceil(reach * number / whole)) if number > 1 else 0
        for whole, number in zip(box, cells, strict=True)
    ]


def place_of(cells: Cells, cell: int) -> list[int]:
    return [cell // (cells[1] * cells[2]), cell // cells[2] % cells[1], cell % cells[2]]


def moved(cells: Cells, cell: int, edge: int, by: int) -> int:
    """The cell that is `by` further along an edge, around the box."""
    place = place_of(cells, cell)
    place[edge] = (place[edge] + by) % cells[edge]
    return (place[0] * cells[1] + place[1]) * cells[2] + place[2]
