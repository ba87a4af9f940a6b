"""GROMACS 3.3, particle decomposition: a ring for coordinates and forces, two transposes for PME.

C. Kutzner et al., J. Comput. Chem. 28 (2007) 2075: systems, grid, message sizes, speedups. Who sends what is from the
program's source: coordinates travel halfway around a ring of ranks and forces back (mvxvf.c, nsb.c: ⌈N/2⌉ pulses),
PME gathers each atom at the rank that has its slab of the grid (pme.c: pmeredist), adds up the slabs' edges
(sum_qgrid) and transposes the grid twice (fftgrid.c: the MPI_Alltoall that floods the switch).
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.workloads.grids import SINGLE, SINGLE_COMPLEX, Grid, boundary_bytes, parts, transpose_bytes
from clearway.workloads.model import Job, Step, System
from clearway.workloads.script import (
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
# How a step divides. It decides where in the step the messages lie, not how long the step is.
DIRECT_PART, MESH_PART, UPDATE_PART = 0.70, 0.25, 0.05


@dataclass(frozen=True, slots=True)
class Mesh(System):
    grid: Grid
    serial_part: float
    """Of the work, that does not get shorter with more ranks: uneven parts, and what every rank does."""


# The serial parts are fitted on the paper's speedups over Myrinet on 8 and 16 ranks. Those of aqp1, 6.2 and 10, leave
# 4 %, of which its messages take 1 %; those of dppc, 7.7 and 13.4, leave 0.9 %, of which they take 0.6 %.
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
        0.03,
    ),
    "dppc": Mesh(
        "1,024 DPPC lipids in water; its grid from the area and volume of a lipid",
        121_856,
        AQP1_SERIAL_NS * DPPC_GROWTH,
        "estimated from aqp1's, Opteron 2 GHz",
        (154, 154, 54),
        0.003,
    ),
}


def step(system: Mesh, job: Job) -> Step:
    whole_ns = job.share_ns(system.serial_ns, system.serial_part)
    if job.ranks == 1:
        return Step((RankList([0], (compute(whole_ns),)),))
    work = [
        *ring(system, job, -1),
        compute(whole_ns * DIRECT_PART),
        *mesh(system, job, whole_ns * MESH_PART / 4),
        *ring(system, job, +1),
        compute(whole_ns * UPDATE_PART),
        allreduce(ENERGY_BYTES),
    ]
    return Step((RankList(range(job.ranks), tuple(work)),))


def ring(system: Mesh, job: Job, direction: int) -> list[Activity]:
    """Each rank passes on what it has just received: its own atoms first."""
    home = parts(system.atoms, job.ranks) * VECTOR
    pulse = sendrecv(neighbour(direction), home, neighbour(-direction), home)
    return [pulse] * parts(job.ranks, 2)


def mesh(system: Mesh, job: Job, quarter_ns: float) -> list[Activity]:
    """PME; a rank's atoms lie anywhere, so that each slab gets as many of them."""
    atoms = parts(system.atoms, job.ranks**2)
    vectors, charges = ([atoms * size] * job.ranks for size in (VECTOR, SINGLE))
    transpose = alltoall(job.ranks, transpose_bytes(system.grid, job.ranks, SINGLE_COMPLEX))
    return [
        alltoall(job.ranks, SINGLE),  # how many atoms will come
        alltoallv(vectors),
        alltoallv(charges),
        compute(quarter_ns),
        *edges(system),
        compute(quarter_ns),
        transpose,
        compute(quarter_ns),
        transpose,
        *edges(system),
        compute(quarter_ns),
        alltoallv(vectors),
    ]


def edges(system: Mesh) -> list[Activity]:
    """A charge is spread over four planes: the one before its own, and two behind it, may be a neighbour's."""
    before, behind = (boundary_bytes(system.grid, planes, SINGLE) for planes in (1, 2))
    return [
        sendrecv(neighbour(-1), before, neighbour(+1), before),
        sendrecv(neighbour(+1), behind, neighbour(-1), behind),
    ]
