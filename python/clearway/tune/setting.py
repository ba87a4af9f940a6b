"""What may be turned about a job, and what that may change of its results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from clearway.base.older_python import StrEnum
from clearway.job import agreement
from clearway.job.change import UNCHANGED, Change, combined


class MayChange(StrEnum):
    """Of the results. What would change more is no knob."""

    NOTHING = "nothing"
    ORDER = "order of summation"
    TOLERANCE = "a tolerance that the engine keeps"


@dataclass(frozen=True, slots=True)
class Setting:
    """One position of a knob."""

    knob: str  # what is turned: of one knob, a job has one setting
    name: str  # as a table calls it: "-nstlist 40"
    change: Change  # of the command line
    may_change: MayChange
    first_lines: tuple[str, ...] = ()  # that the engine reads before the job's own input
    shape: tuple[int, int] | None = None  # ranks, and threads of each, where that is what it sets
    copies: int = 1  # of the job, side by side


@dataclass(frozen=True, slots=True)
class Knob:
    """Its settings, and what the first run says of the most that they could give."""

    name: str
    settings: tuple[Setting, ...]
    most: float | None  # of the wall-clock; None: the record does not tell
    because: str  # the figures behind that, or why there is nothing to set; the end of a sentence


disagree = lru_cache(maxsize=4096)(agreement.disagree)  # a race asks the same again and again

Way = tuple[Setting, ...]  # one way to run the job: () is the job as it was typed


def name_of(way: Way) -> str:
    return ", ".join(setting.name for setting in way) or UNCHANGED


def change_of(way: Way) -> Change:
    return combined(*(setting.change for setting in way))


def shape_of(way: Way) -> tuple[int, int] | None:
    """None: as the job was typed."""
    return next((setting.shape for setting in way if setting.shape), None)


def shape_alone(way: Way) -> Way:
    return tuple(setting for setting in way if setting.shape)


def copies_of(way: Way) -> int:
    return max((setting.copies for setting in way), default=1)


def first_lines_of(way: Way) -> tuple[str, ...]:
    return tuple(line for setting in way for line in setting.first_lines)


def results_may_change(way: Way) -> MayChange:
    """The most of what its settings may change."""
    order = list(MayChange)
    return max((setting.may_change for setting in way), key=order.index, default=MayChange.NOTHING)


def goes_with(way: Way, setting: Setting) -> bool:
    """Whether it turns something else than `way` does already."""
    return all(other.knob != setting.knob and not disagree(other.change, setting.change) for other in way)


def joined(way: Way, settings: Iterable[Setting]) -> Way:
    """`way` with those of `settings` that go together, the first first."""
    for setting in settings:
        if goes_with(way, setting):
            way = (*way, setting)
    return way
