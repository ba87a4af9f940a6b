"""The race: what was found is proved, by rounds that had no part in finding it.

Where an earlier race proved something for such a job, that is tried first: if it looks faster here as well, the heats
are left out. Otherwise heats come first, and only choose. What they choose then runs beside the unchanged job, in
rounds of their own, until it is clear: the runs that chose a variant do not count in its proof, for the luckiest of
many always looks fast there.

That there is nothing to gain is told by all runs together: there, luck is no help, for it only makes variants look
faster than they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clearway.base.older_python import StrEnum
from clearway.experiment.comparison import End
from clearway.experiment.interval import Interval, geometric_mean, interval_of
from clearway.tune.heats import Heats, SettingsFor
from clearway.tune.proof import is_faster, is_no_faster, may_become_clear
from clearway.tune.rounds import UNCHANGED, Rounds, Run, StopRaceError
from clearway.tune.rules import PROMISING, Rules
from clearway.tune.setting import Setting, Way, name_of

TRIALS = 3  # of what was chosen, should it fail
SHOWN_ROUNDS = 2  # of what is only shown


class Answer(StrEnum):
    """What came out."""

    FASTER = "faster"  # beyond doubt
    NOTHING = "nothing to gain"
    UNPROVEN = "not proven"  # when it was ended


@dataclass
class Race:
    """Its state at any moment: whatever ends it, what is known then can be told."""

    shapes: Sequence[Setting]
    settings_for: SettingsFor
    run: Run
    rules: Rules = field(default_factory=Rules)
    hint: Way = UNCHANGED  # what was proved for such a job before
    doubted_for: SettingsFor = field(default=lambda _: ())  # besides: settings that can hardly pay
    hint_held: bool | None = None  # in two rounds; None: it has not run so far
    finalists: tuple[Way, ...] = ()  # the unchanged job first
    cheaper: tuple[Way, ...] = ()  # on fewer cores: shown beside the others, never recommended
    proof_from: int | None = None  # the first round that counts as proof
    rounds: Rounds = field(init=False)
    heats: Heats | None = None

    def __post_init__(self) -> None:
        self.rounds = Rounds(self.run, self.rules.seed)

    def go(self) -> End:
        """To its end. Why no more was run."""
        try:
            if self._hint_holds():
                return self._prove(self.hint)
            self.heats = Heats(self.rounds, self.rules, self.shapes, self.settings_for, self.doubted_for)
            return self._search(self.heats)
        except StopRaceError as stop:
            return stop.end

    def show(self, ways: Sequence[Way]) -> None:
        """Runs them beside the unchanged job, after the proof."""
        self.cheaper = tuple(ways)
        try:
            for _ in range(SHOWN_ROUNDS):
                self.rounds.whole([UNCHANGED, *ways])
        except StopRaceError:
            return

    def ratio(self, way: Way, beside: Way, rounds: Iterable[int] | None = None) -> float | None:
        """Its time by that of another, in rounds that have both."""
        ratios = self.rounds.ratios(way, beside, rounds)
        return geometric_mean(ratios) if ratios else None

    def proof(self, way: Way) -> Interval | None:
        """Where its ratio to the unchanged job surely lies, by the rounds of the proof."""
        return interval_of(self._proof_of(way))

    def proved_ratio(self, way: Way) -> float | None:
        ratios = self._proof_of(way)
        return geometric_mean(ratios) if ratios else None

    def _proof_of(self, way: Way) -> list[float]:
        if self.proof_from is None:
            return []
        return self.rounds.ratios(way, UNCHANGED, range(self.proof_from, self.rounds.number + 1))

    @property
    def challengers(self) -> list[Way]:
        """Of the proof, as far as they are still in it."""
        return [way for way in self.finalists if way != UNCHANGED and name_of(way) not in self.rounds.out]

    def best(self) -> tuple[Answer, Way]:
        """What is to be recommended. Without proof that is the unchanged job, or so far the leader."""
        proven = next((way for way in self.challengers if is_faster(self._proof_of(way))), None)
        if proven is not None:
            return Answer.FASTER, proven
        if self._is_nothing():
            return Answer.NOTHING, UNCHANGED
        return Answer.UNPROVEN, self.heats.likeliest() if self.heats else self._hinted()

    def _is_nothing(self) -> bool:
        if self.heats and self.heats.offer.by_shape:
            return self.heats.is_nothing()
        return self.proof_from is not None and all(
            is_no_faster(self._proof_of(way), self.rules) for way in self.challengers
        )

    def _hint_holds(self) -> bool:
        """Whether it looks faster than the unchanged job in two rounds."""
        if not self.hint:
            return False
        for _ in range(2):
            self.rounds.whole([UNCHANGED, self.hint])
            ratio = None if name_of(self.hint) in self.rounds.out else self.ratio(self.hint, UNCHANGED)
            self.hint_held = ratio is not None and ratio < PROMISING
            if not self.hint_held:
                return False
        return True

    def _hinted(self) -> Way:
        return self.hint if self.hint_held else UNCHANGED

    def _search(self, heats: Heats) -> End:
        """Where what was chosen fails, for it had not run as a whole before, the next best takes its place."""
        heats.choose()
        for _ in range(TRIALS):
            end = self._prove(heats.chosen())
            if self.challengers or len(self.finalists) < 2:
                break
        if end is not End.ROUNDS:
            return end
        heats.go_on(self.rounds.number + 1 - (self.proof_from or 0))
        return End.CLEAR if self._is_clear() else End.ROUNDS

    def _prove(self, way: Way) -> End:
        self.finalists = tuple(one for one in dict.fromkeys([UNCHANGED, way]) if name_of(one) not in self.rounds.out)
        self.proof_from = self.rounds.number + 1
        if self._is_nothing():
            self.finalists = (UNCHANGED,)
            return End.CLEAR
        if len(self.finalists) < 2:
            return End.ROUNDS
        for _ in range(self.rules.rounds):
            self.rounds.whole(self.finalists)
            if not self.challengers or self._is_clear():
                return End.CLEAR
            if not any(may_become_clear(self._proof_of(one), self.rules) for one in self.challengers):
                return End.ROUNDS
        return End.ROUNDS

    def _is_clear(self) -> bool:
        return self.best()[0] is not Answer.UNPROVEN
