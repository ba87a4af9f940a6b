"""NAMD 2: patches of space, whose atoms go to every rank that computes with them; PME in every fourth step.

J. Phillips et al., J. Comput. Chem. 26 (2005) 1781, and L. Kalé et al., J. Comput. Phys. 151 (1999) 283: the box is
cut into patches a little larger than the cutoff; pairs of neighbouring patches are objects that are dealt out to all
ranks; a patch sends its positions to each rank with such an object and gets forces back. HPC Advisory Council 2012:
most messages have 4 to 16 kB. Systems as in NAMD's benchmark inputs (fullElectFrequency 4). Charm++ overlaps more
than MPI calls in a fixed order can: what a rank does while it waits is its share of the pairs, not PME.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from clearway.predict.models.grids import DOUBLE, SINGLE_COMPLEX, Grid, transpose_bytes
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.patches import Patches, charges_to_slabs, homes, proxies
from clearway.predict.models.script import Activity, RankList, compute, irecv, isend, waitall

VECTOR = 3 * DOUBLE
POSITIONS, FORCES, CHARGES, FORWARD, BACKWARD, POTENTIALS = 1, 2, 3, 4, 5, 6  # tags
CYCLE = 4  # time steps from one PME to the next
LEAST_PLANES = 2  # of the mesh on a rank
# How a cycle divides. It decides where the messages lie, not how long the cycle is.
PAIRS_PART, MESH_PART, UPDATE_PART = 0.85, 0.10, 0.05
FLOWS = dict[int, dict[int, list[int]]]
"""Sender, receiver, bytes of each message."""


@dataclass(frozen=True, slots=True)
class Patched(System):
    patches: Patches
    grid: Grid


# One core of a 64-core workstation, by D. Kinghorn.
TIMING = "NAMD 2.13, published by Puget Systems"

SYSTEMS = {
    "apoa1": Patched("apolipoprotein A1", 92_224, 0.526e9, TIMING, (6, 6, 4), (108, 108, 80)),
    "f1atpase": Patched(
        "F1-ATPase", 327_506, 0.526e9 / 92_224 * 327_506, "as apoa1's by atoms", (11, 8, 8), (192, 144, 144)
    ),
    "stmv": Patched("satellite tobacco mosaic virus", 1_066_628, 5.77e9, TIMING, (13, 13, 13), (216, 216, 216)),
}


def step(system: Patched, job: Job) -> Step:
    cycle_ns = CYCLE * job.share_ns(system.serial_ns)
    if job.ranks == 1:
        return Step((RankList([0], (compute(cycle_ns),)),), time_steps=CYCLE)
    positions = patch_flows(system, job.ranks)
    charges, slabs = mesh_flows(system, job.ranks)
    transpose = between_all(slabs, transpose_bytes(system.grid, len(slabs), SINGLE_COMPLEX))
    lists = []
    for rank in range(job.ranks):
        mesh = [
            *exchange(rank, charges, CHARGES),
            compute(cycle_ns * MESH_PART / 3),
            *exchange(rank, transpose, FORWARD),
            compute(cycle_ns * MESH_PART / 3),
            *exchange(rank, transpose, BACKWARD),
            compute(cycle_ns * MESH_PART / 3),
            *exchange(rank, turned(charges), POTENTIALS),
        ]
        pairs = compute(cycle_ns * PAIRS_PART / CYCLE / 2)
        plain = [
            *exchange(rank, positions, POSITIONS, meanwhile=pairs),
            pairs,
            *exchange(rank, turned(positions), FORCES),
            compute(cycle_ns * UPDATE_PART / CYCLE),
        ]
        lists.append(RankList([rank], (*mesh, *(plain * CYCLE))))
    return Step(tuple(lists), time_steps=CYCLE)


def patch_flows(system: Patched, ranks: int) -> FLOWS:
    """A message for each patch and each rank that needs it."""
    flows: FLOWS = defaultdict(lambda: defaultdict(list))
    home = homes(system.patches, ranks)
    size = round(system.atoms / len(home)) * VECTOR
    for patch, needing in enumerate(proxies(system.patches, ranks)):
        for rank in needing:
            flows[home[patch]][rank].append(size)
    return flows


def mesh_flows(system: Patched, ranks: int) -> tuple[FLOWS, list[int]]:
    """What each rank's patches give to each slab of the mesh, as one message; and the ranks of the slabs."""
    number = max(1, min(ranks, system.grid[0] // LEAST_PLANES))
    slabs = [slab * ranks // number for slab in range(number)]
    flows: FLOWS = defaultdict(lambda: defaultdict(list))
    for (rank, slab), size in charges_to_slabs(system.patches, system.grid, ranks, number).items():
        if rank != slabs[slab]:
            flows[rank][slabs[slab]].append(size)
    return flows, slabs


def between_all(ranks: list[int], size: int) -> FLOWS:
    return {sender: {receiver: [size] for receiver in ranks if receiver != sender} for sender in ranks}


def turned(flows: FLOWS) -> FLOWS:
    """The same messages the other way."""
    back: FLOWS = defaultdict(dict)
    for sender, receivers in flows.items():
        for receiver, sizes in receivers.items():
            back[receiver][sender] = sizes
    return back


def exchange(rank: int, flows: FLOWS, tag: int, meanwhile: Activity | None = None) -> list[Activity]:
    """A rank's part of it."""
    receives = [irecv(sender, size, tag) for sender in sorted(flows) for size in flows[sender].get(rank, ())]
    sends = [isend(receiver, size, tag) for receiver, sizes in sorted(flows.get(rank, {}).items()) for size in sizes]
    work = [meanwhile] if meanwhile else []
    return [*receives, *sends, *work, *([waitall()] if receives or sends else [])]
