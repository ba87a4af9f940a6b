"""The heats: which way runs next, as long as that pays. They only choose.

Shapes run first, beside the unchanged job. Then each setting has its turn, on top of the best so far: what helps stays
on, so that the settings that matter soon run together. What can hardly pay, as the first run says, comes last, several
in one run. Then ways are drawn as likely as they are to be the best (Thompson 1933).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from clearway.tune.effects import Effects, effects
from clearway.tune.offer import Offer
from clearway.tune.outlook import left
from clearway.tune.rounds import UNCHANGED, Rounds
from clearway.tune.rules import PROMISING, Rules
from clearway.tune.setting import Setting, Way, joined, name_of, shape_alone

NEAR = 1.05  # of the fastest: what is not even that close is left
MOST_SHAPES = 3  # in which settings are tried
FEW = 6  # settings: each has a turn of its own; more run joined until so few are left
ROUND = 5  # runs, at most
DRAWN = 9  # ways, before what was found goes to its proof though more may be left
MORE = 3  # likewise, for each round that a proof may have
TRIES = 12  # to draw a way that is new to the round
SURE = 0.99  # so likely no way is better than the best so far by more than the rules allow
LIKELY = 0.8  # so likely what is to be proved gives something
SHRINKS = 0.4  # as much of what may be left to gain goes for other reasons than the number of runs
NOTHING = 0.95  # so likely nothing is left to gain
NAMED = 0.995  # of the time, for each change: what is only named as the best so far is to give that

SettingsFor = Callable[[Way], Sequence[Setting]]


@dataclass
class Heats:
    """What is on offer, and how far it is known."""

    rounds: Rounds
    rules: Rules
    shapes: Sequence[Setting]
    settings_for: SettingsFor
    doubted_for: SettingsFor  # besides: settings that can hardly pay
    offer: Offer = field(default_factory=Offer)
    drawn: int = 0  # ways so far
    _told: tuple[tuple[int, int], Effects] | None = None  # by the number of runs and of settings

    def choose(self) -> None:
        """Until what was found can be proved, or nothing is left to gain, or more would be in vain."""
        shapes: list[Way] = [(setting,) for setting in self.shapes]
        self.rounds.whole([UNCHANGED, *shapes])
        near = self._near([UNCHANGED, *shapes])
        self.offer = Offer.of(*({shape: offered(shape) for shape in near}
                                for offered in (self.settings_for, self.doubted_for)))  # fmt: skip
        while self._goes_on(lambda told: [self._leader(told)]):
            pass

    def go_on(self, proof_rounds: int) -> None:
        """After a proof that failed, until it is known that nothing is left to gain, if that may come to be known."""
        self.drawn = max(self.drawn, DRAWN) + MORE * proof_rounds
        self.rounds.begin()
        self.rounds.add(UNCHANGED)
        while not self.is_nothing() and self._goes_on(lambda told: _once([UNCHANGED, self._leader(told)])):
            pass

    def chosen(self) -> Way:
        """With only those settings that ran, and promise something."""
        told = self.told()
        least = -math.log(PROMISING)
        ways = [*self.offer.best_by(told.setting_worth, least, self._new()), *self._that_ran(told)]
        return self._worth_it(told, ways)

    def likeliest(self) -> Way:
        """What looks fastest by all runs, if each of its changes gives something."""
        told = self.told()
        return self._worth_it(told, self._that_ran(told), NAMED)

    def is_nothing(self) -> bool:
        """Whether it is sure that nothing is faster than the unchanged job by more than the rules allow."""
        return self.rounds.knows_unchanged and not self._new() and self._looks_like_nothing(self.told())

    def told(self) -> Effects:
        names = self.offer.names
        known = (self.rounds.count, len(names))
        if self._told is None or self._told[0] != known:
            seed = Random(f"effects {self.rules.seed} {known[0]}").getrandbits(32)
            self._told = known, effects(self.rounds.ways, self.rounds.seconds, names, seed, self.offer.doubted)
        return self._told[1]

    # What runs next

    def _goes_on(self, references: Callable[[Effects], Sequence[Way]]) -> bool:
        """One more run, or the first ones of another round. False: enough."""
        told = self.told()
        way = self._suspected() or self._untried() or self._doubted()
        if not way and self._is_enough(told):
            return False
        beside = references(told)
        ways = [way] if way else self._drawn(told)
        if all(one in beside for one in ways):
            return False  # hardly anything else is the best
        fresh = [one for one in ways if one not in self.rounds.now]
        if fresh and len(self.rounds.now) < ROUND and self.rounds.knows_unchanged:
            self.drawn += not way
            self.rounds.add(fresh[0])
            return True
        self.rounds.begin()
        for reference in beside:
            self.rounds.add(reference)
        return True

    def _near(self, shapes: Sequence[Way]) -> list[Way]:
        """The shapes that came near the fastest of them; the job's own first, unless another promises something."""
        told = self.told()
        inside = [shape for shape in shapes if name_of(shape) not in self.rounds.out]
        bound = min(map(told.worth, inside), default=0.0) + math.log(NEAR)
        near = [shape for shape in inside if told.worth(shape) <= bound]
        return sorted(near, key=lambda way: told.worth(way) - len(way) * math.log(PROMISING))[:MOST_SHAPES]

    def _suspected(self) -> Way | None:
        """What may have made a way fail, with nothing else but a shape. What is doubted, only if it was not the only
        one."""
        wanted = {name for names in self.rounds.undecided() if len(names) > 1 or not names <= self.offer.doubted
                  for name in names}  # fmt: skip
        for shape, settings in self.offer.by_shape.items():
            for one in settings:
                way = joined(shape, [one])
                if one.name in wanted and way != shape and self._is_new(way):
                    return way
        return None

    def _untried(self) -> Way | None:
        """The next setting, on top of the best so far."""
        new = [name for name in self._new() if name not in self.offer.doubted]
        if not new or len(new) > FEW:
            return None
        return self._on_top(new[:1])

    def _doubted(self) -> Way | None:
        """What is doubted, when all else has run: of each knob a setting, on top of the best so far."""
        waiting = self._waiting()
        if not waiting or len(self._new()) > len(waiting):
            return None
        return self._on_top(waiting)

    def _on_top(self, names: Sequence[str]) -> Way | None:
        """As many of these as go together, of the shape of the first. Where it would be a way that may not run, without
        what is best so far."""
        base = self.chosen()
        home, first = self.offer.home_of(names[0], base)
        wanted = [one for one in self.offer.by_shape[home] if one.name in names]
        beside = [one for one in base if not one.shape] if home == shape_alone(base) else []
        ways = (self.offer.in_order(home, [first, *wanted, *beside]), self.offer.in_order(home, [first]))
        return next((way for way in ways if self._is_new(way)), None)

    def _drawn(self, told: Effects) -> list[Way]:
        """Ways, drawn as likely as they are to be the best."""
        return list(dict.fromkeys(self._best_of(told, draw) for draw in told.draws[:TRIES]))

    def _best_of(self, told: Effects, draw: np.ndarray) -> Way:
        """What would be the best way if each were worth what was drawn."""
        joins = self.offer.best_by(lambda name: told.setting_worth(name, draw), 0.0, self._waiting())
        inside = {way: told.worth(way, draw) for way in (*joins, *self._that_ran(told)) if self.rounds.may_run(way)}
        return min(inside, key=inside.__getitem__, default=UNCHANGED)

    def _leader(self, told: Effects) -> Way:
        if not self.rounds.knows_unchanged:
            return UNCHANGED  # which failed once
        return min([UNCHANGED, *(way for way in self._that_ran(told) if self.rounds.may_run(way))], key=told.worth)

    def _worth_it(self, told: Effects, ways: Sequence[Way], each: float = PROMISING) -> Way:
        """The best, if each change of the job is to give so much of its own."""
        known = {way: told.worth(way) - len(way) * math.log(each) for way in ways if self.rounds.may_run(way)}
        return min([UNCHANGED, *known], key=lambda way: known.get(way, 0.0))

    def _that_ran(self, told: Effects) -> list[Way]:
        return [self.rounds.ways[name] for name in told.ways]

    def _is_new(self, way: Way) -> bool:
        return name_of(way) not in self.rounds.seconds and self.rounds.may_run(way)

    def _new(self) -> list[str]:
        return self.offer.left_of(self.rounds.tried())

    def _waiting(self) -> list[str]:
        """What is doubted and has not run."""
        return [name for name in self._new() if name in self.offer.doubted]

    # When they end

    def _is_enough(self, told: Effects) -> bool:
        """Whether nothing is left to gain, or what was found can be proved, and little is left beside it; or heats
        would go on in vain."""
        if self.drawn >= DRAWN + MORE * self.rules.rounds:
            return True
        if not self.rounds.knows_unchanged or self._new():
            return False
        if self._looks_like_nothing(told):
            return True
        chosen = self.chosen()
        if chosen != UNCHANGED and np.quantile(told.drawn_worths(chosen), LIKELY) <= math.log(PROMISING):
            return self.drawn >= DRAWN or self._left(told, self._leader(told), SURE) <= self.rules.allowed
        return self._is_vain(told)

    def _looks_like_nothing(self, told: Effects) -> bool:
        return self._left(told, UNCHANGED, NOTHING) <= self.rules.allowed

    def _is_vain(self, told: Effects) -> bool:
        """Whether all runs to come would hardly show that nothing is left to gain."""
        to_come = DRAWN + MORE * self.rules.rounds - self.drawn
        runs = self.rounds.count
        likely = SHRINKS * self._left(told, UNCHANGED, NOTHING)
        return self.drawn >= DRAWN and likely * math.sqrt(runs / (runs + to_come)) > self.rules.allowed

    def _left(self, told: Effects, way: Way, sure: float) -> float:
        return left(told, self.offer, self.rounds, way, sure)


def _once(ways: Sequence[Way]) -> list[Way]:
    return list(dict.fromkeys(ways))
