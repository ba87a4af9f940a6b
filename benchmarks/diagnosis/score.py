"""How often Clearway was right."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from diagnosis.healthy import Healthy, healthy
from diagnosis.plants import INTENSITIES, Plant, plants
from diagnosis.results import Repetition, read
from diagnosis.verdict import Found

OTHERS = "foreign-load"
SPOILT = 0.1  # of the wall-clock: what others took of one job and not of its twin would be laid to the fault


@dataclass(frozen=True, slots=True)
class Judged:
    """One plant or one healthy job under one MPI, and its repetitions."""

    name: str
    mpi: str
    repetitions: list[Repetition]
    plant: Plant | None = None
    healthy: Healthy | None = None

    @property
    def places(self) -> list[int | None]:
        """Of the right rule, by repetition."""
        return [each["faulty"].place(self.plant.rule) for each in self.repetitions] if self.plant else []

    @property
    def places_of_planted(self) -> list[int | None]:
        """The same, passing over the other losses that the plant has with and without the fault."""
        if self.plant is None:
            return []
        return [each["faulty"].place(self.plant.rule, self.plant.besides) for each in self.repetitions]

    @property
    def median_share(self) -> float:
        """Of the wall-clock, as the right finding says."""
        assert self.plant is not None
        every = [each["faulty"] for each in self.repetitions]
        return statistics.median(one.cost_s(self.plant.rule) / one.wall_s for one in every)

    @property
    def cost_ratio(self) -> float | None:
        """What the right finding says that the fault costs, over what it does cost."""
        if self.plant is None or not self.plant.cost_known:
            return None
        ratios = []
        for each in self.repetitions:
            faulty, sound = each["faulty"], each["sound"]
            if self._spoilt(each) or faulty.stepping_s is None or sound.stepping_s is None:
                continue
            if faulty.stepping_s != sound.stepping_s:
                ratios.append(faulty.cost_s(self.plant.rule) / (faulty.stepping_s - sound.stepping_s))
        return statistics.median(ratios) if ratios else None

    def _spoilt(self, repetition: Repetition) -> bool:
        """Whether others, whom nobody planted, took much of either job's time."""
        planted = self.plant is not None and self.plant.rule == OTHERS
        jobs = [repetition["sound"]] if planted else [repetition["sound"], repetition["faulty"]]
        return any(job.cost_s(OTHERS) > SPOILT * job.wall_s for job in jobs)

    def others(self, which: str) -> list[tuple[Found, bool]]:
        """What was found in those jobs besides the fault, and whether it is so."""
        return [
            (one, one.rule in self._besides | each[which].anyway)
            for each in self.repetitions
            for one in each[which].others(self._right(which))
        ]

    def quiet(self) -> Iterator[tuple[bool, bool]]:
        """For each run without a planted fault: whether nothing at all was found, and nothing that is not so."""
        for which in ("sound", "healthy"):
            for each in self.repetitions:
                if which in each:
                    yield not each[which].found, not each[which].others(self._besides | each[which].anyway)

    @property
    def _besides(self) -> frozenset[str]:
        job = self.plant or self.healthy
        return job.besides if job else frozenset()

    def _right(self, which: str) -> frozenset[str]:
        return frozenset({self.plant.rule}) if self.plant and which == "faulty" else frozenset()


@dataclass(frozen=True, slots=True)
class RightAndWrong:
    """Totals over all runs."""

    planted: int  # runs with a fault
    first: int  # in which its rule came first
    first_but_planted: int  # the same, passing over what was planted besides
    first_or_second: int
    found: int  # in which its rule came at all
    excused: int  # findings, of all runs, that nobody planted and that are so: others used the machine
    wrong: int  # findings that are not so
    quiet: int  # runs without a planted fault
    silent: int  # in which nothing was found
    not_wrong: int  # in which nothing was found but what is excused


def judged() -> list[Judged]:
    """All that has been measured."""
    every = [Judged(name, mpi, read(name, mpi), plant=plant) for name, plant in plants() for mpi in plant.mpis]
    every += [Judged(name, one.mpi, read(name, one.mpi), healthy=one) for name, one in healthy()]
    return [one for one in every if one.repetitions]


def by_intensity(everything: list[Judged]) -> dict[str, RightAndWrong]:
    """Of the faults of each intensity that were measured; they are no part of one another."""
    told = {name: [one for one in everything if one.plant and one.plant.intensity == name] for name in INTENSITIES}
    return {name: score(some) for name, some in told.items() if some}


def score(everything: list[Judged]) -> RightAndWrong:
    places = [place for one in everything for place in one.places]
    others = [
        right
        for one in everything
        for which in (("faulty", "sound") if one.plant else ("healthy",))
        for _, right in one.others(which)
    ]
    quiet = [one for each in everything for one in each.quiet()]
    return RightAndWrong(
        planted=len(places),
        first=places.count(1),
        first_but_planted=[place for one in everything for place in one.places_of_planted].count(1),
        first_or_second=places.count(1) + places.count(2),
        found=sum(place is not None for place in places),
        excused=sum(others),
        wrong=len(others) - sum(others),
        quiet=len(quiet),
        silent=sum(silent for silent, _ in quiet),
        not_wrong=sum(not_wrong for _, not_wrong in quiet),
    )
