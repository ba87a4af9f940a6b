"""Sizes that follow from a three-dimensional grid on several ranks."""

from __future__ import annotations

Grid = tuple[int, int, int]

SINGLE_COMPLEX, DOUBLE_COMPLEX = 8, 16  # bytes
SINGLE, DOUBLE = 4, 8

FACTORS, ONCE = (2, 3, 5, 7), (11, 13)  # that Fourier transforms are fast for; one of the latter, once


def parts(whole: int, ranks: int) -> int:
    """The largest part, rounded up."""
    return -(-whole // ranks)


def transpose_bytes(grid: Grid, ranks: int, element_bytes: int) -> int:
    """From each rank to each other in a transpose of slabs, after a real-to-complex transform of the last dimension.

    With single precision it gives the sizes that Kutzner et al. 2007 print for 8, 16 and 32 CPUs.
    """
    x, y, z = grid
    return parts(x, ranks) * parts(y, ranks) * (z // 2 + 1) * element_bytes


def is_fast(points: int) -> bool:
    """Whether a Fourier transform of so many points is."""
    for factor in FACTORS:
        while points % factor == 0:
            points //= factor
    return points in (1, *ONCE)


def divisible(grid: Grid, ranks: int) -> Grid:
    """The next one whose first two dimensions are divided evenly; of fast sizes, if there is one up to the double."""

    def wider(points: int) -> int:
        fitting = [size for size in range(points, 2 * points) if size % ranks == 0]
        return next(filter(is_fast, fitting), parts(points, ranks) * ranks)

    x, y, z = grid
    return wider(x), wider(y), z


def boundary_bytes(grid: Grid, planes: int, element_bytes: int) -> int:
    """Of `planes` planes of a real grid whose last dimension has room for the complex one."""
    _, y, z = grid
    return planes * y * 2 * (z // 2 + 1) * element_bytes
