"""GROMACS today, domain decomposition: halos with neighbours, PME on all ranks or on a quarter of them.

B. Hess et al., J. Chem. Theory Comput. 4 (2008) 435: eighth-shell halos, pulse by pulse along each edge, forces the
way back; PME on ranks of its own where there are more than 18, and in two dimensions where the cells are. Its FFT
calls MPI_Alltoall twice a step, or four times in two dimensions. Left out are what comes every few steps (neighbour
search, energies) and the small messages of constraints.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from clearway.predict.models.domains import Box, Cells, halo_atoms, halo_pulses, moved, split
from clearway.predict.models.grids import SINGLE, SINGLE_COMPLEX, Grid, boundary_bytes, parts, transpose_bytes
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.script import (
    Activity,
    RankList,
    alltoall,
    compute,
    irecv,
    isend,
    neighbour,
    sendrecv,
    waitall,
)

VECTOR = 3 * SINGLE
REACH_NM = 1.1  # cutoff and buffer
MOST_WITHOUT_PME_RANKS = 18  # as mdrun decides
PME_SHARE = 4  # a rank in so many does PME
SPREAD_PLANES = 3  # of the mesh, that a charge may touch beyond its slab, with interpolation of order 4
COORDINATES, FORCES = 1, 2  # tags
# How a step divides. It decides where in the step the messages lie, and what PME's ranks do.
DIRECT_PART, MESH_PART = 0.75, 0.25


@dataclass(frozen=True, slots=True)
class Mesh(System):
    box_nm: Box
    grid: Grid


# Steps of a box of water on one core, written by benchmarks/workload_timing/measure.py.
TIMING_FILE = Path(__file__).with_name("gromacs_timing.json")
_TIMED = json.loads(TIMING_FILE.read_text(encoding="utf-8"))
NS_PER_ATOM = median(one["compute_s"] for one in _TIMED["rounds"]) * 1e9 / _TIMED["steps"] / _TIMED["atoms"]
TIMING = f"{_TIMED['program']}, {_TIMED['atoms']:,} atoms of water, {_TIMED['circumstances']['processor']}"

SYSTEMS = {
    "dhfr": Mesh("DHFR in water", 23_558, 23_558 * NS_PER_ATOM, TIMING, (6.22, 6.22, 6.22), (64, 64, 64)),
    "aqp1": Mesh(
        "aquaporin-1 in a membrane in water", 80_000, 80_000 * NS_PER_ATOM, TIMING, (10.8, 10.56, 9.6), (90, 88, 80)
    ),
    "stmv": Mesh(
        "satellite tobacco mosaic virus", 1_066_628, 1_066_628 * NS_PER_ATOM, TIMING, (21.7, 21.7, 21.7), (216,) * 3
    ),
}


def step(system: Mesh, job: Job) -> Step:
    if job.ranks == 1:
        return Step((RankList([0], (compute(job.share_ns(system.serial_ns)),)),))
    return on_all_ranks(system, job) if job.ranks <= MOST_WITHOUT_PME_RANKS else with_pme_ranks(system, job)


def on_all_ranks(system: Mesh, job: Job) -> Step:
    """Each rank has a cell, and its part of the mesh."""
    cells = split(job.ranks, system.box_nm, REACH_NM)
    rows = cells[0], job.ranks // cells[0]
    whole_ns = job.share_ns(system.serial_ns)
    communicators = mesh_communicators(rows)
    lists = []
    for rank in range(job.ranks):
        work = [
            *halo(system, cells, rank, list(range(job.ranks)), -1),
            compute(whole_ns * DIRECT_PART),
            *mesh(system, rows, rank, whole_ns * MESH_PART),
            *halo(system, cells, rank, list(range(job.ranks)), +1),
        ]
        lists.append(RankList([rank], tuple(work)))
    return Step(tuple(lists), communicators)


def mesh_communicators(rows: tuple[int, int]) -> tuple[tuple[str, range], ...]:
    """Rank x × rows[1] + y is in "meshx"y and "meshy"x."""
    along_x = ((f"meshx{y}", range(y, rows[0] * rows[1], rows[1])) for y in range(rows[1]) if rows[0] > 1)
    along_y = ((f"meshy{x}", range(x * rows[1], (x + 1) * rows[1])) for x in range(rows[0]) if rows[1] > 1)
    return (*along_x, *along_y)


def mesh(system: Mesh, rows: tuple[int, int], rank: int, whole_ns: float) -> list[Activity]:
    """PME on rows[0] × rows[1] ranks: a transpose in each direction that is divided, there and back."""
    x, y, z = system.grid
    points = x * y * (z // 2 + 1) * SINGLE_COMPLEX
    directions = (("meshy", rows[1], rank // rows[1]), ("meshx", rows[0], rank % rows[1]))
    there = [
        alltoall(ranks, parts(points, rows[0] * rows[1] * ranks), f"{name}{which}")
        for name, ranks, which in directions
        if ranks > 1
    ]
    edges = [
        sendrecv(neighbour(+1), size, neighbour(-1), size, communicator=f"{name}{which}")
        for name, ranks, which in directions
        if ranks > 1
        for size in [parts(boundary_bytes(system.grid, SPREAD_PLANES, SINGLE), rows[0] * rows[1] // ranks)]
    ]
    return pme(edges, there, whole_ns)


def pme(edges: list[Activity], transposes: list[Activity], whole_ns: float) -> list[Activity]:
    """Spread, forward, solve, backward, gather."""
    third = compute(whole_ns / 3)
    return [third, *edges, *transposes, third, *reversed(transposes), *edges, third]


def halo(system: Mesh, cells: Cells, cell: int, ranks: list[int], direction: int) -> list[Activity]:
    """Coordinates go down each edge that is cut, forces up, in the opposite order."""
    atoms = halo_atoms(system.atoms, system.box_nm, cells, REACH_NM)
    work = []
    for edge in (0, 1, 2) if direction < 0 else (2, 1, 0):
        pulses = halo_pulses(system.box_nm, cells, REACH_NM)[edge]
        to, source = (ranks[moved(cells, cell, edge, by)] for by in (direction, -direction))
        size = parts(atoms[edge], max(1, pulses)) * VECTOR
        work += [sendrecv(to, size, source, size)] * pulses
    return work


def with_pme_ranks(system: Mesh, job: Job) -> Step:
    """Every fourth rank does PME, for three others."""
    of_mesh = [rank for rank in range(job.ranks) if rank % PME_SHARE == PME_SHARE - 1]
    of_cells = [rank for rank in range(job.ranks) if rank % PME_SHARE != PME_SHARE - 1]
    cells = split(len(of_cells), system.box_nm, REACH_NM)
    serial_ns = system.serial_ns / job.cpu
    clients = {server: [rank for rank in of_cells if served_by(rank, of_mesh) == server] for server in of_mesh}
    atoms = parts(system.atoms, len(of_cells))
    lists = []
    for cell, rank in enumerate(of_cells):
        server = served_by(rank, of_mesh)
        work = [
            isend(server, atoms * (VECTOR + SINGLE), COORDINATES),
            *halo(system, cells, cell, of_cells, -1),
            compute(serial_ns * DIRECT_PART / len(of_cells)),
            *halo(system, cells, cell, of_cells, +1),
            irecv(server, atoms * VECTOR, FORCES),
            waitall(),
        ]
        lists.append(RankList([rank], tuple(work)))
    transpose = alltoall(len(of_mesh), transpose_bytes(system.grid, len(of_mesh), SINGLE_COMPLEX), "pme")
    edge = boundary_bytes(system.grid, SPREAD_PLANES, SINGLE)
    edges = [sendrecv(neighbour(+1), edge, neighbour(-1), edge, communicator="pme")]
    for server in of_mesh:
        work = [
            *(irecv(client, atoms * (VECTOR + SINGLE), COORDINATES) for client in clients[server]),
            waitall(),
            *pme(edges, [transpose], serial_ns * MESH_PART / len(of_mesh)),
            *(isend(client, atoms * VECTOR, FORCES) for client in clients[server]),
            waitall(),
        ]
        lists.append(RankList([server], tuple(work)))
    return Step(tuple(lists), (("pme", range(PME_SHARE - 1, job.ranks, PME_SHARE)),))


def served_by(rank: int, of_mesh: list[int]) -> int:
    """The rank that does PME for this one."""
    return of_mesh[min(rank // PME_SHARE, len(of_mesh) - 1)]
