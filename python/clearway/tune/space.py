"""What is tried; what is tried last, because the first run says that it can hardly pay; and what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from clearway.base import quantities as q
from clearway.tune import side_by_side
from clearway.tune.knobs import collectives, engine_knobs, mpi, placement
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, Setting, Way, goes_with, shape_of


@dataclass(frozen=True, slots=True)
class NotTried:
    """A knob that is left alone."""

    knob: str
    why: str  # the end of a sentence


@dataclass(frozen=True, slots=True)
class Tried:
    """Settings to be tried beside each other, and what is not."""

    settings: tuple[Setting, ...]
    doubted: tuple[Setting, ...]  # of knobs that can hardly pay, as the first run says: tried last
    not_tried: tuple[NotTried, ...]  # there is nothing to set
    because: dict[str, str]  # by knob: why it may pay, or hardly can

    def not_reached(self, ran: Collection[str]) -> list[NotTried]:
        """Whose turn had not come when the race ended: there was no time, or what was found first was enough."""
        waiting = dict.fromkeys(one.knob for one in self.settings if one.knob not in ran)
        return [NotTried(knob, "the race ended before its turn") for knob in waiting]

    def left_alone(self, ran: Collection[str] = ()) -> list[NotTried]:
        """All without a run. `ran`: the knobs that had one."""
        doubted = dict.fromkeys(one.knob for one in self.doubted)
        left = (*self.not_tried, *(NotTried(knob, self.because[knob]) for knob in doubted))
        return [one for one in left if one.knob not in ran]


def shapes(seen: Seen, worth: float) -> Tried:
    """Ranks × threads: they are tried first, for what else is best depends on them.

    `worth`: of the wall-clock; what can give less is doubted.
    """
    engine = engine_knobs(seen.engine)
    return _weighed([placement.shapes(seen, engine.threads if engine else None)], worth)


def divisions(seen: Seen) -> Tried:
    """Of the node among several simulations, instead. Raises ClearwayError where that cannot be tried."""
    side_by_side.check_seen(seen)
    engine = engine_knobs(seen.engine)
    return _weighed([side_by_side.divisions(seen, engine.threads if engine else None, side_by_side.cores_here())], 0.0)


def settings(seen: Seen, way: Way, worth: float) -> Tried:
    """All others, in the shape that `way` has. What they could give is what the first run said of its own."""
    engine = engine_knobs(seen.engine)
    shape = shape_of(way)
    if shape is not None:
        seen = replace(seen, ranks=shape[0], threads=shape[1], pinned=True)
    of_engine = engine.knobs(seen) if engine else ()
    return _weighed([*of_engine, *mpi.knobs(seen), *collectives.knobs(seen), placement.binding(seen)], worth)


def fewer_cores(seen: Seen, way: Way) -> list[Way]:
    """`way` on half the cores, a quarter …"""
    engine = engine_knobs(seen.engine)
    shape = shape_of(way) or (seen.ranks, seen.threads)
    others = tuple(setting for setting in way if setting.shape is None)
    shapes = placement.fewer_cores(seen, shape, engine.threads if engine else None)
    return [(one, *(other for other in others if goes_with((one,), other))) for one in shapes]


def _weighed(knobs: Iterable[Knob], worth: float) -> Tried:
    tried: list[Knob] = []
    doubted: list[Knob] = []
    left: list[NotTried] = []
    for knob in knobs:
        if not knob.settings:
            left.append(NotTried(knob.name, knob.because))
        elif knob.most is not None and knob.most < worth:
            most = f"by the first run it could give back {q.percent(max(knob.most, 0.0))} at most"
            doubted.append(replace(knob, because=f"{most}: {knob.because}"))
        else:
            tried.append(knob)
    kept = _once(setting for knob in (*tried, *doubted) for setting in knob.settings)
    last = {knob.name for knob in doubted}
    return Tried(
        tuple(one for one in kept if one.knob not in last),
        tuple(one for one in kept if one.knob in last),
        tuple(left),
        {knob.name: knob.because for knob in (*tried, *doubted)},
    )


def _once(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Of those that change the same, the first."""
    kept: list[Setting] = []
    for setting in settings:
        if not any((one.change, one.first_lines) == (setting.change, setting.first_lines) for one in kept):
            kept.append(setting)
    return tuple(kept)
