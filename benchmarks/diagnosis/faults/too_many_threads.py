"""OMP_NUM_THREADS is not set: each rank starts as many threads as the machine has cores."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import SHARED_WORK, Job
from diagnosis.plants import Plant


def threads(number: int, words: str, waiting: str = "") -> Job:
    """As GCC's OpenMP would take by itself, were the variable not set, and no rank bound."""
    told = (("OMP_NUM_THREADS", str(number)), *((("OMP_WAIT_POLICY", waiting),) if waiting else ()))
    change = Change(launcher_options=("--bind-to", "none"), environment=told)
    return Job(program=(SHARED_WORK, *words.split()), change=change)


# Steps, parallel regions in each, seconds that all threads of a rank compute in one, and seconds asleep.
PLANT = Plant(
    rule="shared-core",
    how="2 ranks of 2 threads each on 2 cores, which wait for each other every 0.1 ms of their work",
    instead="2 ranks of one thread",
    faulty=threads(2, "10 200 0.0001"),
    sound=threads(1, "10 200 0.0001"),
    quick=False,
)

SLIGHT = replace(
    PLANT,
    how="the same, for a tenth of the time; for the rest a device computes",
    faulty=threads(2, "40 8 0.0002 0.15"),
    sound=threads(1, "40 8 0.0002 0.15"),
)

HARD = replace(
    PLANT,
    how="the same with 4 threads each, which sleep while they wait, every 0.5 ms",
    faulty=threads(4, "15 80 0.0005", "passive"),
    sound=threads(1, "15 80 0.0005"),
)
