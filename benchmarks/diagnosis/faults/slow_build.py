"""Debian's GROMACS, built for SSE4.1, on a processor that has AVX-512: its own log says so."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job
from diagnosis.plants import Plant
from diagnosis.real_engines import ENGINES, MDRUN

GROMACS, LAMMPS = ENGINES["gromacs"], ENGINES["lammps"]


def gromacs(steps: int) -> Job:
    return Job(program=("gmx_mpi", *MDRUN, "-nsteps", str(steps)), ranks=1, prepare=GROMACS.prepare)


PLANT = Plant(
    rule="slow-build",
    how="Debian's GROMACS, built for SSE4.1, on 1 rank, where the processor has AVX-512",
    instead="Debian's LAMMPS, whose log says nothing of the kind: there is no other GROMACS here",
    faulty=gromacs(400),
    sound=Job(program=LAMMPS.program, ranks=1, prepare=LAMMPS.prepare),
    cost_known=False,
    quick=False,
)

SLIGHT = replace(PLANT, how="the same, 20 steps: starting takes most of the time", faulty=gromacs(20))

HARD = replace(
    PLANT,
    how="the same, 2 ranks that may both run on core 0 only",
    faulty=Job(
        program=("taskset", "-c", "0", "gmx_mpi", *MDRUN, "-nsteps", "200"),
        prepare=GROMACS.prepare,
        change=Change(launcher_options=("--bind-to", "none"), parameters=(("mpi_yield_when_idle", "1"),)),
    ),
    besides=frozenset({"shared-core"}),
)
