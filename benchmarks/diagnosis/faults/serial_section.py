"""One thread computes alone, while the core of the other is idle."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, teams
from diagnosis.plants import Plant

PLANT = Plant(
    rule="serial-section",
    how="1 rank with 2 threads on 2 cores; of the work of each step one thread does half alone",
    instead="both do half of all of it",
    faulty=Job(**teams("gcc 120 0.01 0.01 0.02")),
    sound=Job(**teams("gcc 120 0.02 0.02 0")),
    quick=False,
)

# Alone for 13 % of the wall-clock: the rule names 10 %.
SLIGHT = replace(
    PLANT,
    how="the same, one thread is alone for 13 % of the time",
    faulty=Job(**teams("gcc 150 0.02 0.02 0.003")),
    sound=Job(**teams("gcc 150 0.0215 0.0215 0")),
)

HARD = replace(
    PLANT,
    how="the same with POSIX threads, of which no runtime tells, and one is alone for a third of the time",
    faulty=Job(**teams("pthread 120 0.02 0.02 0.01")),
    sound=Job(**teams("pthread 120 0.025 0.025 0")),
)
