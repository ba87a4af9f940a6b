"""The race: who runs when, who drops out, and what is proved in the end.

Where an earlier race proved something for such a job, that is tried first: if it looks faster here as well, the heats
are left out. Otherwise heats come first, and only choose: variants run beside the leader in the same round, and those
that look slower drop out. What they choose then runs beside the unchanged job, in rounds of their own, until it is
clear: the rounds that chose a variant do not count in its proof, for the luckiest of many always looks fast there.

That there is nothing to gain is told by all runs together: there, luck is no help, for it only makes variants look
faster than they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

import numpy as np

from clearway.experiment.comparison import End
from clearway.experiment.interval import CONFIDENCE, FEWEST, Interval, geometric_mean, interval_of, largest_t, spread_of
from clearway.tune.effects import Effects, effects
from clearway.tune.setting import Setting, Way, goes_with, joined, name_of, shape_alone

UNCHANGED: Way = ()
NEAR = 1.05  # of the fastest: what is not even that close is left
MOST_SHAPES = 3  # in which settings are tried
PROMISING = 0.99  # of the unchanged job's time, by all runs so far
FEW = 6  # settings: each runs alone first, so that what fails costs its own time only
HEAT = 3  # ways of a round besides the best so far
HEATS = 3  # such rounds, at most
DRAWS = 200
TRIES = 12  # of them, to find ways that differ
SURE = 0.9  # so likely no way is better than the best so far by more than the rules allow
LIKELY = 0.8  # so likely what is to be proved gives something
TRIALS = 3  # of what was chosen, should it fail
HOPE = 0.7  # of the noise, which few rounds tell badly
SHRINKS = 0.4  # as much of what may be left to gain goes for other reasons than the number of runs
WORTH_CHANGING = 0.99  # of the unchanged job's time: less is no reason to touch a job script
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
    _offer: dict[Way, Sequence[Setting]] = field(default_factory=dict)  # settings, by shapes that are still in
    _told: tuple[tuple[int, int], Effects] | None = None  # by the number of runs and of settings

    def go(self) -> End:
        """To its end. Why no more was run."""
        try:
            if not self._hint_holds():
                self._choose()
            end = self._prove()
            return self._go_on() if end is End.ROUNDS and self._offer else end
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

    def proof(self, way: Way) -> Interval | None:
        """Where its ratio to the unchanged job surely lies, by the rounds of the proof."""
        if self.proof_from is None:
            return None
        return interval_of(self._ratios(way, UNCHANGED, self._proof_rounds()))

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
        proven = next((way for way in self.challengers if self._is_proven(way)), None)
        if proven is not None:
            return Answer.FASTER, proven
        if self._is_nothing():
            return Answer.NOTHING, UNCHANGED
        return Answer.UNPROVEN, self._likeliest()

    def _is_nothing(self) -> bool:
        """Whether it is sure that nothing is faster than the unchanged job by more than the rules allow."""
        if self._offer:
            return (
                name_of(UNCHANGED) in self.seconds
                and not self._new()
                and self._left(self._effects(), UNCHANGED, CONFIDENCE) <= self._allowed
            )
        return self.proof_from is not None and all(self._no_faster(way) for way in self.challengers)

    @property
    def _allowed(self) -> float:
        return math.log1p(self.rules.within)

    # Heats

    def _hint_holds(self) -> bool:
        """Whether it looks faster than the unchanged job in two rounds."""
        if not self.hint:
            return False
        for _ in range(2):
            self._run_round([UNCHANGED, self.hint])
            ratio = None if name_of(self.hint) in self.out else self.ratio(self.hint, UNCHANGED)
            self.hint_held = ratio is not None and ratio < PROMISING
            if not self.hint_held:
                return False
        self.leader = self.hint
        return True

    def _choose(self) -> None:
        """Rounds of ways drawn as likely as they are to be the best, beside the best so far, as long as that pays."""
        shapes: list[Way] = [(setting,) for setting in self.shapes]
        if shapes:
            self._run_round([UNCHANGED, *shapes])
        self._offer = {shape: self.settings_for(shape) for shape in self._near([UNCHANGED, *shapes])}
        for heat in range(HEATS + self.rules.rounds):
            leader, drawn = self._drawn(heat)
            if not drawn:
                break
            self._run_round([leader, *drawn])
        self.leader = self._chosen()

    def _go_on(self) -> End:
        """After a proof that failed: until it is known that nothing is left to gain, if that may come to be known."""
        for heat in range(HEATS + self.round + 1 - (self.proof_from or 0), HEATS + self.rules.rounds):
            told = self._effects()
            if self._is_clear():
                return End.CLEAR
            if self._is_vain(told, heat):
                break
            leader, drawn = self._drawn(0)
            self._run_round(list(dict.fromkeys([UNCHANGED, leader, *drawn])))
        return End.CLEAR if self._is_clear() else End.ROUNDS

    def _near(self, shapes: Sequence[Way]) -> list[Way]:
        """The shapes that came near the fastest of them; the job's own first, unless another promises something."""
        told = self._effects()
        inside = [shape for shape in shapes if name_of(shape) not in self.out]
        bound = min(map(told.worth, inside), default=0.0) + math.log(NEAR)
        near = [shape for shape in inside if told.worth(shape) <= bound]
        return sorted(near, key=lambda way: told.worth(way) - len(way) * math.log(PROMISING))[:MOST_SHAPES]

    def _drawn(self, heat: int) -> tuple[Way, list[Way]]:
        """The best so far, and what is to run beside it: first what a way that failed leaves under suspicion, alone."""
        told = self._effects()
        leader = self._leader(told)
        alone = self._alone()
        if alone:
            return leader, alone
        if name_of(UNCHANGED) in self.seconds and not self._new() and self._is_enough(told, leader, heat):
            return leader, []
        ways: dict[Way, None] = {}
        for draw in told.draws[:TRIES]:
            way = self._best_of(told, draw)
            if way != leader and len(ways) < HEAT:
                ways[way] = None
        return leader, list(ways)

    def _is_enough(self, told: Effects, leader: Way, heat: int) -> bool:
        """Whether heats end: nothing is left to gain, or what was found can be proved, and little is left beside it;
        or they would go on in vain."""
        left = self._left(told, UNCHANGED, CONFIDENCE)
        if left <= self._allowed:
            return True
        chosen = self._chosen()
        if chosen != UNCHANGED and np.quantile(told.drawn_worths(chosen), LIKELY) <= math.log(PROMISING):
            return heat >= HEATS or self._left(told, leader, SURE) <= self._allowed
        return self._is_vain(told, heat)

    def _is_vain(self, told: Effects, heat: int) -> bool:
        """Whether all rounds to come would hardly show that nothing is left to gain."""
        runs = sum(map(len, self.seconds.values()))
        to_come = (HEATS + self.rules.rounds - heat) * (1 + HEAT)
        left = SHRINKS * self._left(told, UNCHANGED, CONFIDENCE)
        return heat >= HEATS and left * math.sqrt(runs / (runs + to_come)) > self._allowed

    def _left(self, told: Effects, leader: Way, sure: float) -> float:
        """So much, as a logarithm, the best way may be faster than `leader`; it is so sure that it is not more."""
        return float(np.quantile(told.drawn_worths(leader) - self._least_of(told), sure))

    def _least_of(self, told: Effects) -> np.ndarray:
        """The worth of the best way by each draw, if any settings of different knobs go together."""
        ran = {one.name for name in self.seconds for one in self.ways[name]}
        least = np.zeros(len(told.draws))
        for shape, settings in self._offer.items():
            worth = told.drawn_worths(shape)
            known = [one for one in settings if one.name in ran and self._may_run(joined(shape, [one]))]
            for knob in {one.knob for one in known}:
                places = [told.settings[one.name] for one in known if one.knob == knob]
                worth = worth + np.minimum(0.0, told.draws[:, places].min(axis=1))
            least = np.minimum(least, worth)
        for name in told.ways:
            if self._may_run(self.ways[name]):
                least = np.minimum(least, told.drawn_worths(self.ways[name]))
        return least

    def _alone(self) -> list[Way]:
        """What is to run with nothing else but a shape: what is under suspicion; all, where there are few."""
        wanted, new = self._suspects(), self._new()
        if len(new) <= FEW:
            wanted |= new
        for shape in self._offer:
            ways = [joined(shape, [one]) for one in self._offer[shape] if one.name in wanted]
            ways = [way for way in ways if way != shape and self._may_run(way) and name_of(way) not in self.seconds]
            if ways:
                return ways
        return []

    def _new(self) -> set[str]:
        """Settings that no way has had so far, whether it failed or not."""
        ran = {one.name for name in (*self.seconds, *self.out) for one in self.ways[name]}
        fit = {one.name for shape, settings in self._offer.items() for one in settings if goes_with(shape, one)}
        return fit - ran

    def _best_of(self, told: Effects, draw: np.ndarray) -> Way:
        """What would be the best way if each were worth what was drawn."""
        ways = [joined(shape, self._that_give(told, settings, draw, 0.0)) for shape, settings in self._offer.items()]
        ways += [self.ways[name] for name in told.ways]
        inside = {way: told.worth(way, draw) for way in ways if self._may_run(way)}
        return min(inside, key=inside.__getitem__, default=UNCHANGED)

    def _that_give(self, told: Effects, settings: Iterable[Setting], of: np.ndarray, least: float) -> list[Setting]:
        """Of each knob the setting that gives most, where that is more than `least`."""
        best: dict[str, Setting] = {}
        for setting in sorted(settings, key=lambda one: told.setting_worth(one.name, of)):
            if told.setting_worth(setting.name, of) < -least:
                best.setdefault(setting.knob, setting)
        return list(best.values())

    def _chosen(self) -> Way:
        """With only those settings that promise something."""
        told = self._effects()
        least = -math.log(PROMISING)
        ways = [joined(shape, self._that_give(told, settings, told.mean, least))
                for shape, settings in self._offer.items()]  # fmt: skip
        return self._worth_it(told, [*ways, *(self.ways[name] for name in told.ways)])

    def _leader(self, told: Effects) -> Way:
        if name_of(UNCHANGED) not in self.seconds:
            return UNCHANGED  # which failed once, or runs for the first time
        return min([UNCHANGED, *(self.ways[name] for name in told.ways)],
                   key=lambda way: told.worth(way) if self._may_run(way) else math.inf)  # fmt: skip

    def _worth_it(self, told: Effects, ways: Sequence[Way]) -> Way:
        """The best, if each change of the job is to promise something of its own."""
        known = {way: told.worth(way) - len(way) * math.log(PROMISING) for way in ways if self._may_run(way)}
        return min([UNCHANGED, *known], key=lambda way: known.get(way, 0.0))

    def _effects(self) -> Effects:
        settings = [one.name for one in self._all_settings()]
        known = (sum(map(len, self.seconds.values())), len(settings))
        if self._told is None or self._told[0] != known:
            seed = Random(f"effects {self.rules.seed} {known[0]}").getrandbits(32)
            self._told = known, effects(self.ways, self.seconds, settings, seed)
        return self._told[1]

    def _all_settings(self) -> list[Setting]:
        return list({one.name: one for settings in self._offer.values() for one in settings}.values())

    def _may_run(self, way: Way) -> bool:
        """Not what failed, nor what has all of its settings, nor one of them that may have been the reason."""
        if not self.out:
            return True
        names = {one.name for one in way}
        if any(names >= failed for failed in self._failed()):
            return False
        return len(way) - len(shape_alone(way)) < 2 or not names & self._suspects()

    def _failed(self) -> list[set[str]]:
        return [{one.name for one in self.ways[name]} for name in self.out if self.ways[name]]

    def _suspects(self) -> set[str]:
        """Settings of ways that failed, which ended well in no other way."""
        well = {one.name for name in self.seconds for one in self.ways[name]}
        found = set().union(*self._failed()) - well
        return found - {name for failed in self._failed() if len(failed) == 1 for name in failed}

    # Proof

    def _prove(self) -> End:
        """Where what was chosen fails, for it had not run as a whole before, the next best takes its place."""
        for _ in range(TRIALS):
            end = self._prove_chosen()
            if self.challengers or len(self.finalists) < 2 or not self._offer:
                break
            self.leader = self._chosen()
        return end

    def _prove_chosen(self) -> End:
        self.finalists = tuple(way for way in dict.fromkeys([UNCHANGED, self.leader]) if name_of(way) not in self.out)
        self.proof_from = self.round + 1
        if self._is_nothing():
            self.finalists = (UNCHANGED,)
            return End.CLEAR
        if len(self.finalists) < 2:
            return End.ROUNDS
        for _ in range(self.rules.rounds):
            self._run_round(self.finalists)
            if not self.challengers or self._is_clear():
                return End.CLEAR
            if self._is_futile():
                return End.ROUNDS
        return End.ROUNDS

    def _is_clear(self) -> bool:
        return self.best()[0] is not Answer.UNPROVEN

    def _is_futile(self) -> bool:
        """Whether even the last round would prove nothing, should the noise stay, or fall to HOPE of it."""
        return not any(self._may_become_clear(way) for way in self.challengers)

    def _may_become_clear(self, way: Way) -> bool:
        ratios = self._ratios(way, UNCHANGED, self._proof_rounds())
        if len(ratios) < FEWEST:
            return True
        middle, spread = math.log(geometric_mean(ratios)), HOPE * spread_of(ratios)
        reach = largest_t(self.rules.rounds) * spread / math.sqrt(self.rules.rounds)
        chance = spread / math.sqrt(len(ratios))  # by which the middle may still move
        return middle + reach - chance < 0 or middle - reach + chance > -math.log1p(self.rules.within)

    def _is_proven(self, way: Way) -> bool:
        interval, ratio = self.proof(way), self.proved_ratio(way)
        return interval is not None and ratio is not None and interval.high < 1 and ratio <= WORTH_CHANGING

    def _no_faster(self, way: Way) -> bool:
        """Whether the proof says that it is surely not faster by more than the rules allow."""
        interval = self.proof(way)
        return interval is not None and interval.low >= 1 / (1 + self.rules.within)

    def _likeliest(self) -> Way:
        """Where nothing is proved: what looks fastest by all runs, if each of its changes promises something."""
        told = self._effects()
        return self._worth_it(told, [self.ways[name] for name in told.ways])

    # Rounds

    def _run_round(self, ways: Sequence[Way]) -> None:
        self.round += 1
        order = [way for way in ways if name_of(way) not in self.out]
        Random(f"{self.rules.seed} {self.round}").shuffle(order)
        if self.round == 1:
            order.sort(key=lambda way: way != UNCHANGED)  # from it we learn how long a run may take
        for way in order:
            name = name_of(way)
            if way != UNCHANGED and self.proof_from is None and not self._may_run(way):
                continue  # for what failed in this round
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
