"""What came out: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.older_python import StrEnum
from clearway.experiment.comparison import Basis, End
from clearway.experiment.others import Others
from clearway.tune.race import Answer
from clearway.tune.setting import MayChange

SCHEMA = "clearway-tune-1"


class Standing(StrEnum):
    """The outcome of a variant."""

    UNCHANGED = "unchanged"
    BEST = "best"
    PROVED = "to the end"  # it ran beside the best, until that was clear
    DROPPED = "dropped"  # it looked slower in the heats
    RACING = "in the race"  # which ended before that was decided
    FEWER_CORES = "fewer cores"  # it ran for the picture of speed and cost
    THROWN_OUT = "thrown out"  # it failed, or did not compute the same


@dataclass(frozen=True, slots=True)
class Row:
    """A variant that ran. None is what is not known."""

    name: str
    command: str  # for the job script
    ranks: int
    threads: int  # threads per rank
    copies: int  # side by side; figures are of all of them together
    may_change: MayChange  # how its settings may change the results
    standing: Standing
    runs: int  # number of successful runs
    ns_per_day: float | None  # mean over its runs
    s_per_step: float | None
    speed: float | None  # relative to the unchanged job in the same rounds; from the proof, if there was one
    speed_low: float | None  # its interval, from the proof
    speed_high: float | None
    core_hours: float | None  # core-hours for what `core_hours_for` says
    fault: str  # why it was rejected


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
    best: str  # name of the variant to use; the unchanged job if nothing is proved to be faster
    best_command: str  # one line for the job script
    leader: str  # variant that looked fastest at the end of the race, proved or not
    why: tuple[str, ...]  # the reasons, in sentences
    short: str  # how the runs were shortened; empty: they were as long as the job
    basis: Basis | None  # what is compared
    engine: str | None
    energies_compared: bool  # False: the log has no energies
    confidence: float  # confidence level of all intervals together
    within: float  # how close to the best the answer should be
    runs: int  # number of runs, including the first
    spent_s: float  # seconds in runs
    end: End
    core_hours_for: str  # "a ns", "a million steps", "a run"
    rows: tuple[Row, ...]  # the unchanged job first, then the fastest first
    not_tried: tuple[Left, ...]
    others: Others | None = None  # other programs beside the runs; None if they took next to nothing, or on a testbed
