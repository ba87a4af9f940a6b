"""Ranks of one host talk by TCP."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(program=workload("--steps 200 --compute-ms 5 --halo 2000 --halo-messages 50"))

PLANT = Plant(
    rule="tcp-inside-host",
    how="2 ranks on one host; Open MPI is told to use TCP alone (`btl tcp,self`)",
    instead="shared memory",
    faulty=replace(SOUND, change=Change(parameters=(("pml", "ob1"), ("btl", "tcp,self")))),
    sound=SOUND,
)
