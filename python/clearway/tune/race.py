"""The race: who runs when, who drops out, and what is proved in the end.

Where an earlier race proved something for such a job, that is tried first: if it looks faster here as well, the heats
are left out. Otherwise heats come first, and only choose: variants run beside the leader in the same round, and those
that look slower drop out. What they choose then runs beside the unchanged job, in rounds of their own, until it is
clear: the rounds that chose a variant do not count in its proof, for the luckiest of many always looks fast there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from clearway.experiment.comparison import End
from clearway.experiment.interval import CONFIDENCE, Interval, geometric_mean, interval_of
from clearway.tune.effects import drawn_worths, worth_of, worths
from clearway.tune.setting import Setting, Way, joined, name_of

UNCHANGED: Way = ()
NEAR = 1.05  # of the fastest: what was that close to it in one round runs in a second
CLEARLY_FASTER = 0.85  # than the leader: one round is enough to choose by
PROMISING = 0.99  # of the leader's time, by all runs so far
JOINED = 3  # ways of a round that join settings
JOINED_ROUNDS = 2
WORTH_CHANGING = 0.99  # of the unchanged job's time: less is no reason to touch a job script
AS_GOOD = 1.005  # of the fastest: then fewer changes are better
FAILURES = 2  # of the unchanged job
SHOWN_ROUNDS = 2  # of what is only shown
ROUNDS = 8  # of the proof, at most

Run = Callable[[Way, int], float | None]  # runs it in that round: seconds for the same work; None where it failed
SettingsFor = Callable[[Way], Sequence[Setting]]


class StopRaceError(Exception):
    """No more is to be run."""

    def __init__(self, end: End) -> None:
        self.end = end
        super().__init__(end)


class Answer(StrEnum):
    """What came out."""

    FASTER = "faster"  # beyond doubt
    NOTHING = "nothing to gain"
    UNPROVEN = "not proven"  # when it was ended


@dataclass(frozen=True, slots=True)
class Rules:
    """How long it goes on."""

    within: float = 0.03  # the best is to be known so well
    rounds: int = ROUNDS
    seed: int = 0  # of the order within rounds


@dataclass
class Race:
    """Its state at any moment: whatever ends it, what is known then can be told."""

    shapes: Sequence[Setting]
    settings_for: SettingsFor
    run: Run
    rules: Rules = field(default_factory=Rules)
    hint: Way = UNCHANGED  # what was proved for such a job before
    hint_held: bool | None = None  # in two rounds; None: it has not run so far
    leader: Way = UNCHANGED  # of the heats so far
    finalists: tuple[Way, ...] = ()  # the unchanged job first
    cheaper: tuple[Way, ...] = ()  # on fewer cores: shown beside the others, never recommended
    proof_from: int | None = None  # the first round that counts as proof
    round: int = 0
    ways: dict[str, Way] = field(default_factory=lambda: {name_of(UNCHANGED): UNCHANGED})  # that ran, by name
    seconds: dict[str, dict[int, float]] = field(default_factory=dict)  # by name and round
    out: set[str] = field(default_factory=set)  # those that failed
    failures: int = 0  # of the unchanged job

    def go(self) -> End:
        """To its end. Why no more was run."""
        try:
            nearest = None if self._hint_holds() else self._choose()
            return self._prove(nearest)
        except StopRaceError as stop:
            return stop.end

    def show(self, ways: Sequence[Way]) -> None:
        """Runs them beside the unchanged job, after the proof."""
        self.cheaper = tuple(ways)
        try:
            for _ in range(SHOWN_ROUNDS):
                self._run_round([UNCHANGED, *ways])
        except StopRaceError:
            return

    def ratio(self, way: Way, beside: Way, rounds: Iterable[int] | None = None) -> float | None:
        """Its time by that of another, in rounds that have both."""
        ratios = self._ratios(way, beside, rounds)
        return geometric_mean(ratios) if ratios else None

    def proof(self, way: Way, beside: Way = UNCHANGED) -> Interval | None:
        """Where that ratio surely lies, by the rounds of the proof; all of them together keep CONFIDENCE."""
        if self.proof_from is None:
            return None
        confidence = 1 - (1 - CONFIDENCE) / max(1, len(self.finalists) - 1)
        return interval_of(self._ratios(way, beside, self._proof_rounds()), confidence)

    def proved_ratio(self, way: Way) -> float | None:
        if self.proof_from is None:
            return None
        return self.ratio(way, UNCHANGED, self._proof_rounds())

    def _proof_rounds(self) -> range:
        return range(self.proof_from or 1, self.round + 1)

    @property
    def challengers(self) -> list[Way]:
        """Of the proof, as far as they are still in it."""
        return [way for way in self.finalists if way != UNCHANGED and name_of(way) not in self.out]

    def best(self) -> tuple[Answer, Way]:
        """What is to be recommended. Without proof that is the unchanged job, or so far the leader."""
        faster = {way: ratio for way in self.challengers if (ratio := self._proven(way)) is not None}
        if faster:
            enough = min(faster.values()) * AS_GOOD
            return Answer.FASTER, min(
                (way for way in faster if faster[way] <= enough), key=lambda w: (len(w), faster[w])
            )
        if self.proof_from is not None and all(self._gives_nothing(way) for way in self.challengers):
            return Answer.NOTHING, UNCHANGED
        return Answer.UNPROVEN, self._likeliest()

    # Heats

    def _hint_holds(self) -> bool:
        """Whether it looks faster than the unchanged job in two rounds."""
        if not self.hint:
            return False
        for _ in range(2):
            self._run_round([UNCHANGED, self.hint])
            ratio = self._heat_ratio(self.hint, UNCHANGED, 1)
            self.hint_held = ratio is not None and ratio < PROMISING
            if not self.hint_held:
                return False
        self.leader = self.hint
        return True

    def _choose(self) -> Way | None:
        self._choose_shape()
        return self._choose_settings()

    def _choose_shape(self) -> None:
        challengers = [(setting,) for setting in self.shapes]
        if not challengers:
            return
        begin = self.round + 1
        self._run_round([UNCHANGED, *challengers])
        near = self._near(challengers, begin)
        ratios = [ratio for way in near if (ratio := self.ratio(way, UNCHANGED)) is not None]
        if near and not (len(near) == 1 and ratios[0] < CLEARLY_FASTER):
            self._run_round([UNCHANGED, *near])
        self.leader = self._fastest(near, UNCHANGED, PROMISING) or UNCHANGED

    def _choose_settings(self) -> Way | None:
        """Takes those that look faster into the leader. What came nearest to it, if nothing did."""
        leader = self.leader
        challengers = [
            (*leader, setting) for setting in self.settings_for(leader) if joined(leader, [setting]) != leader
        ]
        if not challengers:
            return None
        begin = self.round + 1
        self._run_round([leader, *challengers])
        if name_of(leader) in self.out:
            self.leader = UNCHANGED
            return None
        for _ in range(JOINED_ROUNDS):
            ways = self._drawn(challengers)
            if ways:
                self._run_round([leader, *ways])
        self.leader = joined(leader, self._best_of(challengers, worths(self.ways, self.seconds), PROMISING))
        looks = {way: ratio for way in challengers if (ratio := self._heat_ratio(way, leader, begin)) is not None}
        return min((way for way in looks if looks[way] < NEAR), key=looks.__getitem__, default=None)

    def _best_of(self, challengers: Sequence[Way], known: Mapping[str, float], below: float) -> list[Setting]:
        """Of each knob the setting that is worth most, where its time is `below` so much of that without it."""
        inside = [way[-1] for way in challengers if name_of(way) not in self.out]
        best: dict[str, Setting] = {}
        for setting in sorted(inside, key=lambda one: known.get(one.name, 0.0)):
            if known.get(setting.name, 0.0) < math.log(below):
                best.setdefault(setting.knob, setting)
        return list(best.values())

    def _drawn(self, challengers: Sequence[Way]) -> list[Way]:
        """Ways that join settings of theirs, each as likely as it is to be the best."""
        chance = Random(f"joined {self.rules.seed} {self.round}")
        ways: dict[Way, None] = {}
        for _ in range(3 * JOINED):
            if len(ways) < JOINED:
                known = drawn_worths(self.ways, self.seconds, chance)
                ways[joined(self.leader, self._best_of(challengers, known, 1.0))] = None
        return [way for way in ways if way != self.leader and name_of(way) not in self.out]

    def _near(self, ways: Sequence[Way], begin: int) -> list[Way]:
        """Those that came near the fastest of them, or of the leader."""
        ratios = {way: ratio for way in ways if (ratio := self._heat_ratio(way, UNCHANGED, begin)) is not None}
        bound = NEAR * min([1.0, *ratios.values()])
        return [way for way in ways if way in ratios and ratios[way] <= bound]

    def _fastest(self, ways: Sequence[Way], beside: Way, below: float) -> Way | None:
        ratios = {way: ratio for way in ways if (ratio := self.ratio(way, beside)) is not None}
        inside = [way for way in ratios if name_of(way) not in self.out and ratios[way] < below]
        return min(inside, key=ratios.__getitem__, default=None)

    def _heat_ratio(self, way: Way, leader: Way, begin: int) -> float | None:
        return None if name_of(way) in self.out else self.ratio(way, leader, range(begin, self.round + 1))

    # Proof

    def _prove(self, nearest: Way | None) -> End:
        self.finalists = self._finalists(nearest)
        self.proof_from = self.round + 1
        if len(self.finalists) < 2:
            return End.CLEAR
        for _ in range(self.rules.rounds):
            self._run_round(self.finalists)
            if not self.challengers or self._is_clear():
                return End.CLEAR
        return End.ROUNDS

    def _finalists(self, nearest: Way | None) -> tuple[Way, ...]:
        """The leader; where that has several settings besides its shape, also without them: fewer may do as well, if
        an earlier race has not settled that."""
        shape = tuple(setting for setting in self.leader if setting.shape)
        alone = len(self.leader) > 1 and not self.hint_held
        ways = dict.fromkeys([UNCHANGED, self.leader, shape if alone else UNCHANGED])
        if len(ways) == 1:  # nothing looked faster: what came nearest is to show that it is not
            ways |= dict.fromkeys(self._nearest(nearest))
        return tuple(way for way in ways if name_of(way) not in self.out)

    def _nearest(self, nearest: Way | None) -> list[Way]:
        shape = self._fastest([(setting,) for setting in self.shapes], UNCHANGED, NEAR)
        known = [way for way in (nearest, shape) if way and name_of(way) not in self.out]
        return sorted(known, key=lambda way: self.ratio(way, UNCHANGED) or math.inf)[:1]

    def _is_clear(self) -> bool:
        answer, best = self.best()
        if answer is Answer.FASTER:
            return all(self._no_faster(way, best) for way in self.challengers if way != best)
        return answer is Answer.NOTHING

    def _proven(self, way: Way) -> float | None:
        interval, ratio = self.proof(way), self.proved_ratio(way)
        return ratio if interval and ratio and interval.high < 1 and ratio <= WORTH_CHANGING else None

    def _gives_nothing(self, way: Way) -> bool:
        return self._no_faster(way, UNCHANGED)

    def _no_faster(self, way: Way, best: Way) -> bool:
        """Whether it is surely not faster than `best` by more than the rules allow."""
        interval = self.proof(way, best)
        return interval is not None and interval.low >= 1 / (1 + self.rules.within)

    def _likeliest(self) -> Way:
        """Where nothing is proved: what looks fastest by all runs together."""
        known = worths(self.ways, self.seconds)
        ran = [way for name, way in self.ways.items() if name not in self.out and self.seconds.get(name)]
        enough = min((worth_of(way, known) for way in ran), default=0.0) + math.log(AS_GOOD)
        inside = (way for way in ran if worth_of(way, known) <= enough)
        return min(inside, key=lambda way: (len(way), worth_of(way, known)), default=UNCHANGED)

    # Rounds

    def _run_round(self, ways: Sequence[Way]) -> None:
        self.round += 1
        order = [way for way in ways if name_of(way) not in self.out]
        Random(f"{self.rules.seed} {self.round}").shuffle(order)
        if self.round == 1:
            order.sort(key=lambda way: way != UNCHANGED)  # from it we learn how long a run may take
        for way in order:
            name = name_of(way)
            self.ways[name] = way
            seconds = self.run(way, self.round)
            if seconds is not None:
                self.seconds.setdefault(name, {})[self.round] = seconds
            elif way != UNCHANGED:
                self.out.add(name)
            else:
                self.failures += 1
                if self.failures >= FAILURES:
                    raise StopRaceError(End.BASELINE_FAILED)

    def _ratios(self, way: Way, beside: Way, rounds: Iterable[int] | None) -> list[float]:
        mine, its = self.seconds.get(name_of(way), {}), self.seconds.get(name_of(beside), {})
        both = sorted(mine.keys() & its.keys() & (mine.keys() if rounds is None else set(rounds)))
        return [mine[number] / its[number] for number in both]
