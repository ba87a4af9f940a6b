"""What came out: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clearway.experiment.comparison import Basis, End
from clearway.tune.race import Answer
from clearway.tune.setting import MayChange

SCHEMA = "clearway-tune-1"


class Standing(StrEnum):
    """What became of a variant."""

    UNCHANGED = "unchanged"
    BEST = "best"
    PROVED = "to the end"  # it ran beside the best, until that was clear
    DROPPED = "dropped"  # it looked slower in the heats
    FEWER_CORES = "fewer cores"  # it ran for the picture of speed and cost
    THROWN_OUT = "thrown out"  # it failed, or did not compute the same


@dataclass(frozen=True, slots=True)
class Row:
    """A variant that ran. None is what is not known."""

    name: str
    command: str  # for the job script
    ranks: int
    threads: int  # of a rank
    copies: int  # side by side; figures are of all of them together
    may_change: MayChange  # of the results, by what its settings are
    standing: Standing
    runs: int  # that ended well
    ns_per_day: float | None  # the mean over its runs
    s_per_step: float | None
    speed: float | None  # times that of the unchanged job, in the same rounds; of the proof, where it came so far
    speed_low: float | None  # its interval: of the proof alone
    speed_high: float | None
    core_hours: float | None  # that it costs, of what `core_hours_for` says
    fault: str  # why it was thrown out


@dataclass(frozen=True, slots=True)
class Left:
    """A knob that was not tried."""

    knob: str
    why: str


@dataclass(frozen=True, slots=True)
class Tuning:
    """All of it."""

    schema: str
    directory: str
    command: str  # as typed
    testbed: str  # its options; empty: where the launcher put the job
    measured_at: str  # ISO 8601
    answer: Answer
    best: str  # name of the variant to use: the unchanged job, where nothing faster is proved
    best_command: str  # one line for the job script
    leader: str  # what looked fastest when the race ended, proved or not
    why: tuple[str, ...]  # sentences
    short: str  # what made the runs short; empty: they were as long as the job
    basis: Basis | None  # what is compared
    engine: str | None
    energies_compared: bool  # False: the log told none
    confidence: float  # of the intervals, all together
    within: float  # the best was to be known so well
    runs: int  # in all, the first one included
    spent_s: float  # in runs
    end: End
    core_hours_for: str  # "a ns", "a million steps", "a run"
    rows: tuple[Row, ...]  # the unchanged job first, then the fastest first
    not_tried: tuple[Left, ...]
