"""A control group grants the job less memory than the files have that its ranks have mapped."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.control_group import MEMORY, granted_memory, inside
from diagnosis.jobs import LIMITS, Job
from diagnosis.plants import Plant


def walk(mib: int, turns: int, compute: int, granted_mib: int) -> Job:
    """Each rank walks through a mapped file, page by page, and computes for a moment after each."""
    words = (LIMITS, "pages", ".", str(mib), str(turns), str(compute))
    return Job(program=words, outer=inside(MEMORY), around=granted_memory(granted_mib))


PLANT = Plant(
    rule="memory-pressure",
    how="2 ranks walk through a mapped file of 60 MB each, in a control group that grants 150 MB for the whole job",
    instead="that grants 600 MB",
    faulty=walk(60, 30, 1000, 150),
    sound=walk(60, 30, 1000, 600),
    besides=frozenset({"sync-storm"}),  # the ranks flush the file that they made, before they map it
    quick=False,
)

SLIGHT = replace(
    PLANT,
    how="the same, and they compute ten times as long for each page",
    faulty=walk(60, 10, 10_000, 150),
    sound=walk(60, 10, 10_000, 600),
)

HARD_FAULTY, HARD_SOUND = walk(60, 15, 6000, 150), walk(60, 15, 6000, 600)
ON_ONE = Change(launcher_options=("--bind-to", "none"), parameters=(("mpi_yield_when_idle", "1"),))
HARD = replace(
    PLANT,
    how="the same, they compute six times as long, and may both run on core 0 only",
    faulty=replace(HARD_FAULTY, program=("taskset", "-c", "0", *HARD_FAULTY.program), change=ON_ONE),
    sound=replace(HARD_SOUND, program=("taskset", "-c", "0", *HARD_SOUND.program), change=ON_ONE),
    besides=frozenset({"shared-core", "sync-storm"}),
)
