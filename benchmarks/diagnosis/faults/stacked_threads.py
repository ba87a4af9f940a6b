"""Two threads are bound to one core, while another is free."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from diagnosis.jobs import Job, teams
from diagnosis.plants import Plant


def stacked(arguments: str, waiting: str = "passive") -> Job:
    """As `mpirun -np 1` of Open MPI binds a rank: to one core."""
    told = teams(arguments, waiting)
    return Job(**{**told, "change": Change(environment=told["change"].environment)})


PLANT = Plant(
    rule="shared-core",
    how="1 rank with 2 threads, which Open MPI binds to one core",
    instead="it binds them to none",
    faulty=stacked("gcc 120 0.02 0.02 0"),
    sound=Job(**teams("gcc 120 0.02 0.02 0")),
    quick=False,
)

SLIGHT = replace(
    PLANT,
    how="the same, the second thread computes a fifth of what the first does",
    faulty=stacked("gcc 120 0.03 0.006 0"),
    sound=Job(**teams("gcc 120 0.03 0.006 0")),
    besides=frozenset({"thread-imbalance"}),
)

HARD = replace(
    PLANT,
    how="the same, one thread has twice as much to do as the other, and waits are spent spinning",
    faulty=stacked("gcc 60 0.01 0.02 0", "active"),
    sound=Job(**teams("gcc 60 0.01 0.02 0", "active")),
    besides=frozenset({"thread-imbalance"}),
)
