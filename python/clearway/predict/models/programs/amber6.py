"""AMBER 6 sander, replicated data: every rank has all atoms, forces are summed and positions gathered in every step.

D. Konerding on the Beowulf list, 24 June 2000: system, timings, and that MPI_Allgatherv distributes the new positions
and velocities in a serialised section, which made 10 CPUs with MPICH half as fast as with MPI/Pro. The forces are
summed and scattered as MPICH 1 does MPI_Reduce_scatter: a reduction to rank 0, which sends each rank its part. The
mesh is cut into slabs, each filled from the replicated atoms and transposed twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.predict.models.grids import DOUBLE, DOUBLE_COMPLEX, Grid, parts, transpose_bytes
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.script import (
    RankList,
    allgatherv,
    allreduce,
    alltoall,
    compute,
    irecv,
    isend,
    reduce,
    waitall,
)

VECTOR = 3 * DOUBLE
ENERGY_BYTES = 400
# How a step divides. It decides where in the step the messages lie, not how long the step is.
DIRECT_PART, MESH_PART, UPDATE_PART = 0.75, 0.20, 0.05


@dataclass(frozen=True, slots=True)
class Mesh(System):
    grid: Grid


SYSTEMS = {
    "dhfr": Mesh(
        "DHFR in water, a box of 62.2 Å",
        23_558,
        5539e9 / 1000,  # 1,000 steps
        "Konerding 2000, Pentium III 600 MHz",
        (64, 64, 64),
    )
}


def step(system: Mesh, job: Job) -> Step:
    whole_ns = job.share_ns(system.serial_ns)
    if job.ranks == 1:
        return Step((RankList([0], (compute(whole_ns),)),))
    part = parts(system.atoms, job.ranks) * VECTOR
    transpose = alltoall(job.ranks, transpose_bytes(system.grid, job.ranks, DOUBLE_COMPLEX))
    third_ns = whole_ns * MESH_PART / 3
    forces = (
        compute(whole_ns * DIRECT_PART),
        *(compute(third_ns), transpose, compute(third_ns), transpose, compute(third_ns)),
        reduce(0, system.atoms * VECTOR),
    )
    scatter = tuple(isend(rank, part) for rank in range(1, job.ranks))
    gather = allgatherv([part] * job.ranks)
    update = (compute(whole_ns * UPDATE_PART), gather, gather, allreduce(ENERGY_BYTES))
    everyone = range(job.ranks)
    return Step(
        (
            RankList(everyone, forces),
            RankList([0], (*scatter, waitall())),
            RankList(everyone[1:], (irecv(0, part), waitall())),
            RankList(everyone, update),
        )
    )
