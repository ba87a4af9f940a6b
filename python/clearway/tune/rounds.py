"""The runs of a race, in rounds: those of one round are near each other in time, and are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from clearway.experiment.comparison import End
from clearway.tune.setting import Way, name_of, shape_alone

UNCHANGED: Way = ()
FAILURES = 2  # of the unchanged job

Run = Callable[[Way, int], float | None]  # runs it in that round: seconds for the same work; None where it failed


class StopRaceError(Exception):
    """No more is to be run."""

    def __init__(self, end: End) -> None:
        self.end = end
        super().__init__(end)


@dataclass
class Rounds:
    """What ran so far."""

    run: Run
    seed: int = 0  # of the order within rounds
    number: int = 0  # of the round that goes on
    now: list[Way] = field(default_factory=list)  # that ran in it
    ways: dict[str, Way] = field(default_factory=lambda: {name_of(UNCHANGED): UNCHANGED})  # that ran, by name
    seconds: dict[str, dict[int, float]] = field(default_factory=dict)  # by name and round
    out: set[str] = field(default_factory=set)  # those that failed
    failures: int = 0  # of the unchanged job

    @property
    def count(self) -> int:
        """Runs that ended well."""
        return sum(map(len, self.seconds.values()))

    @property
    def ended(self) -> list[Way]:
        """The unchanged job, and all that ran to an end, good or bad: the last one may have been cut off, or found no
        time."""
        return [way for name, way in self.ways.items() if way == UNCHANGED or name in self.seconds or name in self.out]

    @property
    def knows_unchanged(self) -> bool:
        return name_of(UNCHANGED) in self.seconds

    def whole(self, ways: Sequence[Way]) -> None:
        """A round of these, in an order of its own."""
        self.begin()
        order = [way for way in ways if name_of(way) not in self.out]
        Random(f"{self.seed} {self.number}").shuffle(order)
        if self.number == 1:
            order.sort(key=lambda way: way != UNCHANGED)  # from it we learn how long a run may take
        for way in order:
            self.add(way)

    def begin(self) -> None:
        self.number += 1
        self.now = []

    def add(self, way: Way) -> None:
        """One more run in this round."""
        name = name_of(way)
        self.now.append(way)
        self.ways[name] = way
        seconds = self.run(way, self.number)
        if seconds is not None:
            self.seconds.setdefault(name, {})[self.number] = seconds
        elif way != UNCHANGED:
            self.out.add(name)
        else:
            self.failures += 1
            if self.failures >= FAILURES:
                raise StopRaceError(End.BASELINE_FAILED)

    def ratios(self, way: Way, beside: Way, rounds: Iterable[int] | None = None) -> list[float]:
        """Its times by those of another, in rounds that have both."""
        mine, its = self.seconds.get(name_of(way), {}), self.seconds.get(name_of(beside), {})
        both = sorted(mine.keys() & its.keys() & (mine.keys() if rounds is None else set(rounds)))
        return [mine[number] / its[number] for number in both]

    def tried(self) -> set[str]:
        """Settings that ended well, failed alone, or may have made a way fail."""
        return self._ended_well() | self._failed_alone() | self.suspects()

    def may_run(self, way: Way) -> bool:
        """Not what failed, nor what has all of its settings, nor one of them that may have been the reason."""
        if not self.out:
            return True
        names = {one.name for one in way}
        if any(names >= failed for failed in self._failed()):
            return False
        return len(way) - len(shape_alone(way)) < 2 or not names & self.suspects()

    def suspects(self) -> set[str]:
        """Settings of ways that failed for no known reason, which ended well in no other way."""
        return set().union(*self.undecided())

    def undecided(self) -> list[set[str]]:
        """The suspects of each way that failed, where none of its settings failed alone."""
        well, alone = self._ended_well(), self._failed_alone()
        return [failed - well for failed in self._failed() if not failed & alone]

    def _ended_well(self) -> set[str]:
        return {one.name for name in self.seconds for one in self.ways[name]}

    def _failed_alone(self) -> set[str]:
        return {name for failed in self._failed() if len(failed) == 1 for name in failed}

    def _failed(self) -> list[set[str]]:
        return [{one.name for one in self.ways[name]} for name in self.out if self.ways[name]]
