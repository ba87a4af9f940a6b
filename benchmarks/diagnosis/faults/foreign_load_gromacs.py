"""Somebody else computes on a core of a real engine's rank."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job
from diagnosis.plants import Plant
from diagnosis.real_engines import ENGINES
from diagnosis.surroundings import busy_core

GROMACS = ENGINES["gromacs"]
SOUND = Job(program=GROMACS.program, prepare=GROMACS.prepare)

PLANT = Plant(
    rule="foreign-load",
    how="GROMACS on 2 cores, and another program that computes on core 0",
    instead="without it",
    faulty=replace(SOUND, around=busy_core(0)),
    sound=SOUND,
    cost_known=False,  # the engine does not say what its steps took as the workload does
    quick=False,
)
