"""The exhaustive grid: every way that the knobs of a job can be set together, whatever its first run says of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from clearway.tune.seen import Seen
from clearway.tune.setting import Setting, Way, joined, name_of
from clearway.tune.space import settings, shapes

EVERYTHING = 0.0  # worth: nothing is left out because it cannot pay


def every_way(seen: Seen, more: Sequence[Setting]) -> list[Way]:
    """The unchanged job first."""
    found: dict[str, Way] = {}
    for shape in ((), *((one,) for one in shapes(seen, EVERYTHING).settings)):
        for way in _products(shape, (*settings(seen, shape, EVERYTHING).settings, *more)):
            found.setdefault(name_of(way), way)
    return list(found.values())


def _products(shape: Way, known: Sequence[Setting]) -> Iterator[Way]:
    knobs: dict[str, list[Setting | None]] = {}
    for setting in known:
        positions = knobs.setdefault(setting.knob, [None])
        if all(one is None or one.name != setting.name for one in positions):
            positions.append(setting)
    for chosen in itertools.product(*knobs.values()):
        taken = [setting for setting in chosen if setting is not None]
        way = joined(shape, taken)
        if len(way) == len(shape) + len(taken):
            yield way


def same_way(way: Way) -> frozenset[str]:
    """Whatever the order in which its settings were chosen."""
    return frozenset(setting.name for setting in way)
