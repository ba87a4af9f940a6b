"""CPMD 3.9, Car-Parrinello molecular dynamics: an all-to-all for each pair of orbitals, twice in a step.

C. Kutzner et al., J. Comput. Chem. 28 (2007) 2075: 64 waters, box, cutoff, speedups. D. Marx and J. Hutter in Modern
Methods and Algorithms of Quantum Chemistry, FZ Jülich 2000: plane waves are columns ("rays") divided among ranks,
real space is planes; each three-dimensional FFT has one transpose between them, two real orbitals share one, and the
density and its gradients have transforms of the full sphere. Overlap matrices of the orbitals are summed over all
ranks twice; what keeps the orbitals orthogonal is found from them on every rank anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from clearway.predict.models.grids import DOUBLE, DOUBLE_COMPLEX, parts
from clearway.predict.models.model import Job, Step, System
from clearway.predict.models.script import Activity, RankList, allreduce, alltoall, compute

BOHR_PER_ANGSTROM = 1 / 0.529177
DENSITY_TRANSFORMS = 8  # density, its gradient, and the potential's way back, with a gradient-corrected functional
OVERLAPS = 2  # of positions and of velocities of the orbitals
PRODUCTS = 4  # of two matrices of orbitals, for the overlaps and for what they correct
# Of the work, that does not get shorter with more ranks: fitted on the paper's speedup from 8 to 64 on scattered ports.
SERIAL_PART = 0.0095
FFT_FLOPS, PRODUCT_FLOPS = 0.8e9, 3.4e9  # a second, of an Opteron at 2 GHz: a fifth of its peak, and DGEMM's


@dataclass(frozen=True, slots=True)
class PlaneWaves(System):
    orbitals: int
    mesh: int
    """Points along an edge."""
    radius: float
    """Of the orbitals' sphere of plane waves, in units of the smallest; the density's is twice that."""


def plane_waves(
    words: str, atoms: int, orbitals: int, box_angstrom: float, cutoff_rydberg: float, mesh: int
) -> PlaneWaves:
    radius = math.sqrt(cutoff_rydberg) * box_angstrom * BOHR_PER_ANGSTROM / (2 * math.pi)
    serial_s = (ray_operations(orbitals, mesh, radius) + plane_operations(orbitals, mesh, radius)) / FFT_FLOPS
    serial_s += product_operations(orbitals, radius) / PRODUCT_FLOPS
    timing = "estimated from operations, Opteron 2 GHz"
    return PlaneWaves(words, atoms, serial_s * 1e9, timing, orbitals, mesh, radius)


def rays(radius: float) -> float:
    return math.pi * radius**2


def line_operations(mesh: int) -> float:
    return 5 * mesh * math.log2(mesh)


def ray_operations(orbitals: int, mesh: int, radius: float) -> float:
    """Of the transforms along rays. Lines that are empty are not transformed: of an orbital, all but its rays."""
    return (orbitals * rays(radius) + DENSITY_TRANSFORMS * mesh**2) * line_operations(mesh)


def plane_operations(orbitals: int, mesh: int, radius: float) -> float:
    """Of those in planes: of an orbital, all lines in one direction, and those that are not empty in the other."""
    return (orbitals * (mesh * 2 * radius + mesh**2) + DENSITY_TRANSFORMS * 2 * mesh**2) * line_operations(mesh)


def product_operations(orbitals: int, radius: float) -> float:
    """Of real matrices, one plane wave of each pair being kept: orbitals are real."""
    waves = 4 / 3 * math.pi * radius**3 / 2
    return PRODUCTS * 2 * orbitals**2 * 2 * waves


SYSTEMS = {
    # 4 orbitals a water; 164 points would do for a cutoff of 120 Ry, the next that suits the FFT is 168.
    "water64": plane_waves("64 waters in 12.42 Å, BLYP, 120 Ry", 192, 256, 12.42, 120, 168),
}


def step(system: PlaneWaves, job: Job) -> Step:
    if job.ranks == 1:
        return Step((RankList([0], (compute(job.share_ns(system.serial_ns)),)),))
    by_planes: dict[int, list[int]] = {}
    for rank in range(job.ranks):
        by_planes.setdefault(planes_of(system.mesh, job.ranks, rank), []).append(rank)
    return Step(tuple(RankList(ranks, tuple(work(system, job, planes))) for planes, ranks in by_planes.items()))


def planes_of(mesh: int, ranks: int, rank: int) -> int:
    """Whole ones: they are dealt as evenly as they can be."""
    return mesh * (rank + 1) // ranks - mesh * rank // ranks


def work(system: PlaneWaves, job: Job, planes: int) -> list[Activity]:
    """Of a rank that has so many planes."""
    orbital = alltoall(job.ranks, transpose_bytes(system.mesh, system.radius, job.ranks))
    density = alltoall(job.ranks, transpose_bytes(system.mesh, 2 * system.radius, job.ranks))
    transforms = [orbital] * system.orbitals
    transforms[system.orbitals // 2 : system.orbitals // 2] = [density] * DENSITY_TRANSFORMS
    size = (system.orbitals, system.mesh, system.radius)
    fft_s = (ray_operations(*size) / job.ranks + plane_operations(*size) * planes / system.mesh) / FFT_FLOPS
    products_s = product_operations(system.orbitals, system.radius) / job.ranks / PRODUCT_FLOPS
    serial_ns = SERIAL_PART * system.serial_ns
    between = compute((1 - SERIAL_PART) * fft_s * 1e9 / job.cpu / len(transforms))
    product = compute(((1 - SERIAL_PART) * products_s * 1e9 + serial_ns) / job.cpu / OVERLAPS)
    return [
        *(activity for transform in transforms for activity in (between, transform)),
        *([allreduce(system.orbitals**2 * DOUBLE), product] * OVERLAPS),
    ]


def transpose_bytes(mesh: int, radius: float, ranks: int) -> int:
    """From each rank's rays to each rank's planes."""
    return parts(round(rays(radius)), ranks) * parts(mesh, ranks) * DOUBLE_COMPLEX
