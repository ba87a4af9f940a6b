"""Two ranks of a real engine on one core, while another is free."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job
from diagnosis.plants import Plant
from diagnosis.real_engines import ENGINES

LAMMPS = ENGINES["lammps-salt"]
SOUND = Job(program=LAMMPS.program, prepare=LAMMPS.prepare)

PLANT = Plant(
    rule="shared-core",
    how="LAMMPS, two ranks that both may run on core 0 only (`taskset -c 0`)",
    instead="each on its own",
    faulty=replace(
        SOUND,
        program=("taskset", "-c", "0", *SOUND.program),
        change=Change(launcher_options=("--bind-to", "none"), parameters=(("mpi_yield_when_idle", "1"),)),
    ),
    sound=SOUND,
    cost_known=False,  # the engine does not say what its steps took as the workload does
    quick=False,
)
