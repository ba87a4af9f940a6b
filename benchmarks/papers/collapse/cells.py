"""The rows of Table 1 where LAM collapses: DPPC, one CPU a node, no flow control. What they were measured on is a
Setup, which an unknown changes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clearway.predict.models import Job, Script
from clearway.predict.models.programs import gromacs33
from clearway.predict.models.programs.gromacs33 import SYSTEMS, Mesh
from clearway.predict.models.script import Activity, RankList, alltoallv, compute
from clearway.predict.simulated_cluster import Modelled
from papers.point import Outcome, Point, job_of, ready_model
from papers.published.kutzner_2007.rows import LAM, LOSSY_STEPS, ORDERED, PAUSED, choice_of
from papers.published.kutzner_2007.table_1 import CPUS, SPEEDUPS

SYSTEM = "dppc"
CALLS_A_STEP = 2  # "The MPI_Alltoall routine is called twice each time step."


@dataclass(frozen=True, slots=True)
class Cell:
    cpus: int
    published: float
    clean: float
    """The same without losses: with flow control or in order, whichever is faster."""
    ordered: float
    """In order."""

    def lost_ms(self, serial_ns: float) -> float:
        """What a step takes longer than without losses, if it takes so long on one CPU."""
        return serial_ns * 1e-6 * (1 / self.published - 1 / self.clean)


def cells() -> list[Cell]:
    """Without the one on 2 CPUs, where nothing is lost."""

    def told(row: int, speedups: Sequence[float | None]) -> float:
        value = speedups[row]
        assert value is not None
        return value

    lam, others = SPEEDUPS[LAM, 1], (SPEEDUPS[PAUSED, 1], SPEEDUPS[ORDERED, 1])
    return [
        Cell(cpus, told(row, lam), max(told(row, each) for each in others), told(row, others[1]))
        for row, cpus in enumerate(CPUS)
        if cpus > 2
    ]


@dataclass(frozen=True, slots=True)
class Setup:
    model: Modelled
    system: Mesh
    uneven: float = 0.0
    """Ranks compute longer or shorter than is simulated, by up to so much of it, each always by the same."""
    scattered: float = 0.0
    """So much of a rank's atoms lies in the slabs of all, not in its own, and is sent there by MPI_Alltoallv."""


def setup(cpus: int) -> Setup:
    return Setup(ready_model("procurve2848", cpus), SYSTEMS[SYSTEM])


def point(made: Setup, is_ordered: bool = False) -> Point:
    """With LAM's own all-to-all, or the ordered one, which loses nothing."""
    ranks = made.model.hosts * made.model.per_host
    step = gromacs33.step(made.system, Job(ranks, made.model.speed))
    lists = scattered(uneven(step.lists, made.uneven), made.scattered)
    script = Script(f"gromacs33 {SYSTEM} on {ranks} ranks", ranks, LOSSY_STEPS, lists)
    return job_of(made.model, script, choice_of(ORDERED if is_ordered else LAM, SYSTEM, ranks, made.model.per_host))


def uneven(lists: Sequence[RankList], part: float) -> tuple[RankList, ...]:
    if part == 0:
        return tuple(lists)
    chance = random.Random(len(lists))

    def changed(activities: Sequence[Activity], factor: float) -> tuple[Activity, ...]:
        return tuple(compute(each.duration_ns * factor) if each.kind == "compute" else each for each in activities)

    return tuple(
        replace(each, activities=changed(each.activities, chance.uniform(1 - part, 1 + part))) for each in lists
    )


def scattered(lists: Sequence[RankList], part: float) -> tuple[RankList, ...]:
    if part == 0:
        return tuple(lists)

    def changed(each: Activity, rank: int) -> Activity:
        if each.kind != "alltoallv":
            return each
        away = round(max(map(int, map(str, each.words))) * part / len(lists))
        return alltoallv([away] * len(lists), rank)

    return tuple(
        replace(each, activities=tuple(changed(activity, each.ranks[0]) for activity in each.activities))
        for each in lists
    )


def speedup(made: Setup, outcome: Outcome) -> float:
    return made.system.serial_ns * LOSSY_STEPS / outcome.median_ns


def timeouts_a_step(outcome: Outcome) -> float:
    return sum(call.timeouts for call in outcome.calls) / LOSSY_STEPS
