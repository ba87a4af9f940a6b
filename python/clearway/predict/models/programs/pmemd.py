"""PMEMD (AMBER 8): slabs of space, asynchronous messages, two transposes for PME.

R. Duke on the AMBER list, 17 August 2004: system and timings; with default socket buffers 27 % of the time was "net
latency". Each rank has the atoms of a slab of the box. It gets the coordinates within reach of its pairs from the
slabs beyond one side, returns the forces, and transposes the mesh with a message to every other rank. The edges of
box and mesh are those of so many atoms at the density of water, with a mesh of 1 Å.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clearway.predict.models.grids import DOUBLE, DOUBLE_COMPLEX, Grid, parts, transpose_bytes
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.script import Activity, RankList, allreduce, compute, irecv, isend, neighbour, waitall

VECTOR = 3 * DOUBLE
ENERGY_BYTES = 400  # with the virial that constant pressure needs
COORDINATES, FORCES, FORWARD, BACKWARD = 1, 2, 3, 4  # tags
# How a step divides. It decides where in the step the messages lie, not how long the step is.
DIRECT_PART, MESH_PART, UPDATE_PART = 0.70, 0.24, 0.06


@dataclass(frozen=True, slots=True)
class Slabs(System):
    length_angstrom: float
    """Of the edge that is cut into slabs."""
    reach_angstrom: float
    """Cutoff and skin."""
    grid: Grid


SYSTEMS = {
    "factor9": Slabs(
        "factor IX, constant pressure, cutoff 8 Å",
        90_906,
        4 * 129.13e9 / 250,  # CPU time of 4 processes, MPI's part in it, for 250 steps
        "Duke 2004, Xeon 3.2 GHz",
        144.0,
        9.0,
        (144, 80, 80),
    )
}


def step(system: Slabs, job: Job) -> Step:
    whole_ns = job.share_ns(system.serial_ns)
    if job.ranks == 1:
        return Step((RankList([0], (compute(whole_ns),)),))
    quarter_ns = whole_ns * MESH_PART / 4
    needed = dict(atoms_within_reach(system, job.ranks))
    work = [
        *exchange({-further: atoms * VECTOR for further, atoms in needed.items()}, COORDINATES),
        compute(quarter_ns),
        *transpose(system, job, FORWARD),
        compute(2 * quarter_ns),
        *transpose(system, job, BACKWARD),
        compute(quarter_ns),
        compute(whole_ns * DIRECT_PART),
        *exchange({further: atoms * VECTOR for further, atoms in needed.items()}, FORCES),
        compute(whole_ns * UPDATE_PART),
        allreduce(ENERGY_BYTES),
    ]
    return Step((RankList(range(job.ranks), tuple(work)),))


def atoms_within_reach(system: Slabs, ranks: int) -> Iterator[tuple[int, int]]:
    """How many slabs further, and how many atoms of that one."""
    width = system.length_angstrom / ranks
    for further in range(1, ranks):
        share = min(1.0, system.reach_angstrom / width - (further - 1))
        if share <= 0:
            return
        yield further, round(share * parts(system.atoms, ranks))


def exchange(sizes: dict[int, int], tag: int) -> list[Activity]:
    """To the rank that is so much further, and the same from the other side; all at once."""
    receives = [irecv(neighbour(-offset), size, tag) for offset, size in sizes.items()]
    sends = [isend(neighbour(offset), size, tag) for offset, size in sizes.items()]
    return [*receives, *sends, waitall()]


def transpose(system: Slabs, job: Job, tag: int) -> list[Activity]:
    size = transpose_bytes(system.grid, job.ranks, DOUBLE_COMPLEX)
    return exchange(dict.fromkeys(range(1, job.ranks), size), tag)
