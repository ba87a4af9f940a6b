"""GROMACS 3.3, particle decomposition: a ring for coordinates and forces, two transposes for PME.

C. Kutzner et al., J. Comput. Chem. 28 (2007) 2075: systems, grid, message sizes, speedups. Who sends what is from the
program's source: coordinates travel halfway around a ring of ranks and forces back (mvxvf.c, nsb.c: ⌈N/2⌉ pulses),
PME gathers each atom at the rank that has its slab of the grid (pme.c: pmeredist, with MPI_Alltoallv), adds up the
slabs' edges (sum_qgrid) and transposes the grid twice (fftgrid.c: the MPI_Alltoall that floods the switch).

The grid is one whose first two dimensions the number of ranks divides (calcgrid.c; gmx_parallel_3dfft.c refuses any
other): 90 × 88 × 80 on one rank is 96 × 88 × 80 on 4 and 8, and 96 × 96 × 80 on 16 and 32. So all six message sizes
that the paper prints come out, and all slabs are alike. That the larger grid takes longer is left out.

Molecules are sorted along the slabs (grompp -sort), so that all atoms are at home: the paper's delays "exclusively
happen in the MPI_Alltoall", though LAM's MPI_Alltoallv floods as much where it has as much to send.
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.predict.models.grids import (
    SINGLE,
    SINGLE_COMPLEX,
    Grid,
    boundary_bytes,
    divisible,
    parts,
    transpose_bytes,
)
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.script import (
    Activity,
    RankList,
    allreduce,
    alltoall,
    alltoallv,
    compute,
    neighbour,
    sendrecv,
)

VECTOR = 3 * SINGLE
ENERGY_BYTES = 1024
# How a step divides.
DIRECT_PART, MESH_PART, UPDATE_PART = 0.70, 0.25, 0.05


@dataclass(frozen=True, slots=True)
class Mesh(System):
    grid: Grid
    """On one rank."""
    serial_part: float
    """Of the work, that does not get shorter with more ranks."""


# Fitted on the paper's speedups over Myrinet on 8 and 16 ranks: those of aqp1, 6.2 and 10, leave 2 % beside messages
# and uneven slabs; those of dppc, 7.7 and 13.4, leave nothing.
AQP1_SERIAL_PART, DPPC_SERIAL_PART = 0.02, 0.0
# 16 ranks took 68 ms a step, and were 8.4 times as fast as one.
AQP1_SERIAL_NS = 68e6 * 8.4
# The paper gives no time for DPPC. Its direct part grows with the atoms and the cube of the cutoff, the rest with the
# atoms.
DPPC_GROWTH = 121_856 / 80_000 * (DIRECT_PART * 1.2**3 + 1 - DIRECT_PART)

SYSTEMS = {
    "aqp1": Mesh(
        "aquaporin-1 tetramer in a membrane in water",
        80_000,
        AQP1_SERIAL_NS,
        "Kutzner et al. 2007, Opteron 2 GHz",
        (90, 88, 80),
        AQP1_SERIAL_PART,
    ),
    "dppc": Mesh(
        "1,024 DPPC lipids in water; its grid from the area and volume of a lipid",
        121_856,
        AQP1_SERIAL_NS * DPPC_GROWTH,
        "estimated from aqp1's, Opteron 2 GHz",
        (154, 154, 54),
        DPPC_SERIAL_PART,
    ),
}


def step(system: Mesh, job: Job) -> Step:
    if job.ranks == 1:
        return Step((RankList([0], (compute(job.share_ns(system.serial_ns)),)),))
    even_ns = job.share_ns(system.serial_ns, system.serial_part)
    shared_ns = job.share_ns(system.serial_ns) * (1 - system.serial_part)

    def activities(rank: int) -> tuple[Activity, ...]:
        # What is not shared is left to the direct part.
        return (
            *ring(system, job, -1),
            compute(even_ns - shared_ns * (MESH_PART + UPDATE_PART)),
            *mesh(system, job.ranks, rank, shared_ns * MESH_PART / 4),
            *ring(system, job, +1),
            compute(shared_ns * UPDATE_PART),
            allreduce(ENERGY_BYTES),
        )

    return Step(tuple(RankList([rank], activities(rank)) for rank in range(job.ranks)))


def ring(system: Mesh, job: Job, direction: int) -> list[Activity]:
    """Each rank passes on what it has just received: its own atoms first."""
    home = parts(system.atoms, job.ranks) * VECTOR
    pulse = sendrecv(neighbour(direction), home, neighbour(-direction), home)
    return [pulse] * parts(job.ranks, 2)


def mesh(system: Mesh, ranks: int, rank: int, quarter_ns: float) -> list[Activity]:
    grid, home = divisible(system.grid, ranks), parts(system.atoms, ranks)
    transpose = alltoall(ranks, transpose_bytes(grid, ranks, SINGLE_COMPLEX))
    return [
        alltoall(ranks, SINGLE),  # how many atoms will come
        redistribution(ranks, rank, home * VECTOR),
        redistribution(ranks, rank, home * SINGLE),
        compute(quarter_ns),
        *edges(grid),
        compute(quarter_ns),
        transpose,
        compute(quarter_ns),
        transpose,
        *edges(grid),
        compute(quarter_ns),
        redistribution(ranks, rank, home * VECTOR),
    ]


def redistribution(ranks: int, rank: int, own: int) -> Activity:
    """Empty messages are sent, too: a byte stands for what one costs."""
    return alltoallv([own if other == rank else 1 for other in range(ranks)], rank)


def edges(grid: Grid) -> list[Activity]:
    """A charge is spread over four planes: the one before its own, and two behind it, may be a neighbour's."""
    before, behind = (boundary_bytes(grid, planes, SINGLE) for planes in (1, 2))
    return [
        sendrecv(neighbour(-1), before, neighbour(+1), before),
        sendrecv(neighbour(+1), behind, neighbour(-1), behind),
    ]
