"""Space divided among ranks: what a program of particles or of grid points sends grows with the faces of its blocks.

Such programs divide a periodic box into as many equal blocks as there are ranks, with the least faces: LAMMPS'
`processors`, GROMACS' domain decomposition, MPI_Dims_create. A dimension that is cut has as many planes between
neighbours as parts; across each, data goes both ways. A dimension that is not cut sends nothing.
"""

from __future__ import annotations

from functools import cache


@cache
def blocks(ranks: int) -> tuple[int, int, int]:
    """The parts of each dimension of a cube, with the least sum of faces."""
    parts = [number for number in range(1, ranks + 1) if ranks % number == 0]
    ways = ((ranks // second // third, second, third) for third in parts for second in parts
            if ranks % (second * third) == 0)  # fmt: skip
    return min(ways, key=sum)


def planes(ranks: float) -> float:
    """Between blocks, all together: what all ranks send is in proportion to them."""
    return float(sum(parts for parts in blocks(round(ranks)) if parts > 1))


def faces(ranks: float) -> float:
    """Of all blocks, where they have neighbours: as many messages go each way."""
    return 2.0 * round(ranks) * sum(parts > 1 for parts in blocks(round(ranks)))
