"""The settings that a race may join: by shape, those that may pay and those that hardly can."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from clearway.tune.setting import Setting, Way, goes_with, joined, shape_alone


@dataclass(frozen=True)
class Offer:
    """What is offered."""

    by_shape: Mapping[Way, Sequence[Setting]] = field(default_factory=dict)  # of shapes that are still in, first first
    doubted: frozenset[str] = frozenset()  # settings that can hardly pay in any of these shapes

    @classmethod
    def of(cls, likely: Mapping[Way, Sequence[Setting]], doubted: Mapping[Way, Sequence[Setting]]) -> Offer:
        every = {shape: (*settings, *doubted[shape]) for shape, settings in likely.items()}
        return cls(every, frozenset(_names(every) - _names(likely)))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(one.name for settings in self.by_shape.values() for one in settings))

    def left_of(self, tried: Collection[str]) -> list[str]:
        """Settings of which none was tried so far, in their order."""
        fit = {one.name for shape, settings in self.by_shape.items() for one in settings if goes_with(shape, one)}
        return [name for name in self.names if name in fit and name not in tried]

    def home_of(self, name: str, wanted: Way) -> tuple[Way, Setting]:
        """The shape of `wanted`, if the setting is offered there, else the first that has it."""
        homes = {
            shape: one
            for shape, settings in self.by_shape.items()
            for one in settings
            if one.name == name and goes_with(shape, one)
        }
        home = shape_alone(wanted)
        home = home if home in homes else next(iter(homes))
        return home, homes[home]

    def in_order(self, shape: Way, settings: Iterable[Setting]) -> Way:
        """Joined, the first first; named as they are offered, for what has two names is taken for two ways."""
        taken = joined(shape, settings)
        return (*shape, *(one for one in self.by_shape.get(shape, ()) if one in taken and one not in shape))

    def best_by(self, worth: Callable[[str], float], least: float, without: Collection[str] = ()) -> list[Way]:
        """In each shape: of each knob the setting that gives most, where that is more than `least`."""
        ways = []
        for shape, settings in self.by_shape.items():
            worths = {one: worth(one.name) for one in settings if one.name not in without}
            giving = (one for one in worths if worths[one] < -least)
            ways.append(self.in_order(shape, sorted(giving, key=worths.__getitem__)))
        return ways


def _names(settings: Mapping[Way, Sequence[Setting]]) -> set[str]:
    return {one.name for each in settings.values() for one in each}
