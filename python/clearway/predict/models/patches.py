"""A box cut into patches of about the cutoff: who has them, who needs them, and which part of the mesh they touch."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

from clearway.predict.models.grids import SINGLE, Grid

Patches = tuple[int, int, int]
"""How many along each edge; numbered with the last running fastest."""

ORDER = 4  # of interpolation: a charge touches so many mesh points along each edge


def _number(patches: Patches, x: int, y: int, z: int) -> int:
    return (x % patches[0] * patches[1] + y % patches[1]) * patches[2] + z % patches[2]


def homes(patches: Patches, ranks: int) -> list[int]:
    """The rank that each patch belongs to."""
    number = math.prod(patches)
    return [patch * ranks // number for patch in range(number)]


def proxies(patches: Patches, ranks: int) -> list[list[int]]:
    """Of each patch, the other ranks that need its atoms.

    A patch with itself and with each of 13 neighbours are objects, which are dealt out in order of patches.
    """
    needing: list[set[int]] = [set() for _ in range(math.prod(patches))]
    half = [offset for offset in product((-1, 0, 1), repeat=3) if offset >= (0, 0, 0)]
    pairs = len(needing) * len(half)
    at = 0
    for place in product(*map(range, patches)):
        for offset in half:
            rank = at * ranks // pairs
            x, y, z = (a + b for a, b in zip(place, offset, strict=True))
            needing[_number(patches, *place)].add(rank)
            needing[_number(patches, x, y, z)].add(rank)
            at += 1
    return [sorted(ranks_ - {home}) for ranks_, home in zip(needing, homes(patches, ranks), strict=True)]


def charges_to_slabs(patches: Patches, grid: Grid, ranks: int, slabs: int) -> dict[tuple[int, int], int]:
    """By rank and slab of the mesh, the bytes of mesh points that a rank's patches touch there; patches apart."""
    home = homes(patches, ranks)
    thickness = grid[0] / slabs
    columns = math.prod(points / number + ORDER - 1 for points, number in zip(grid[1:], patches[1:], strict=True))
    touched: dict[tuple[int, int], float] = defaultdict(float)
    for patch, rank in enumerate(home):
        first = patch // (patches[1] * patches[2]) * grid[0] / patches[0]
        last = first + grid[0] / patches[0] + ORDER - 1
        for slab in range(int(first / thickness), math.ceil(last / thickness)):
            planes = min(last, (slab + 1) * thickness) - max(first, slab * thickness)
            touched[rank, slab % slabs] += planes * columns * SINGLE
    return {key: round(size) for key, size in touched.items()}
