"""Small files made and deleted by the thousand."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant
from diagnosis.surroundings import disk

FAULTY = Job(
    program=workload("--steps 50 --compute-ms 20 --allreduce 64 --opens 2000 --scratch disk"), around=disk(60, {})
)

PLANT = Plant(
    rule="metadata-storm",
    how="2 ranks create, open, stat and delete 2,000 small files a step",
    instead="2 files",
    faulty=FAULTY,
    sound=replace(FAULTY, program=workload("--steps 50 --compute-ms 20 --allreduce 64 --opens 2 --scratch disk")),
)
