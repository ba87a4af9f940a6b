"""Two ranks on one core, while another is free."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(program=workload("--steps 200 --compute-ms 10 --halo 10000 --allreduce 64"))

PLANT = Plant(
    rule="shared-core",
    how="2 ranks that both may run on core 0 only (`taskset -c 0`)",
    instead="each on its own",
    faulty=replace(
        SOUND,
        program=("taskset", "-c", "0", *SOUND.program),
        change=Change(launcher_options=("--bind-to", "none"), parameters=(("mpi_yield_when_idle", "1"),)),
    ),
    sound=SOUND,
)
