"""What came out: the tree that all outputs show, and that `clearway fix` shows as proof."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SCHEMA = "clearway-compare-1"


class Basis(StrEnum):
    """What is compared: the most telling of what all runs tell."""

    FIGURE = "figure"  # that the user named
    DAY = "ns/day"  # by the engine's own log: without start-up
    STEP = "s/step"  # likewise
    MPI = "MPI_Init to MPI_Finalize"
    WALL = "whole run"


class Verdict(StrEnum):
    """Against the baseline."""

    BASELINE = "baseline"
    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"  # within the precision
    UNCLEAR = "unclear"
    NOT_COMPARED = "cannot be compared"  # the runs may not have done the same work
    FAILED = "failed"


class End(StrEnum):
    """Why no more was measured."""

    CLEAR = "clear"
    ROUNDS = "rounds"
    BUDGET = "budget"
    BASELINE_FAILED = "baseline failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Row:
    """A variant. Times are means over its counted rounds; None is what is not known."""

    name: str
    changes: str  # in a few words
    command: str  # what a person would type
    ranks: int | None
    launcher: str | None  # where it is not the job's own
    verdict: Verdict
    rounds: int  # that counted
    wall_s: float | None  # the steady part where MPI is used, else the whole
    cpu_s: float | None  # of all threads of a rank, the mean over ranks
    s_per_step: float | None
    ns_per_day: float | None
    ratio: float | None  # time by the baseline's, round by round; below 1 is faster
    ratio_low: float | None  # its interval
    ratio_high: float | None
    price_per_ns_day: float | None
    runs: tuple[str, ...]  # Run directories that counted, in the order of rounds
    fault: str  # of the last run that failed
    figure: float | None = None  # that the user named
    not_compared: str = ""  # why so its time can be compared nothing of its speed; empty where it does


@dataclass(frozen=True, slots=True)
class Point:
    """A number of ranks."""

    ranks: int
    name: str  # of the variant
    speedup: float | None  # over the baseline, times its ranks
    low: float | None
    high: float | None
    scaling: float | None  # speedup by ranks


@dataclass(frozen=True, slots=True)
class Scaling:
    """Variants that differ in their number of ranks only."""

    name: str  # what they have in common
    points: tuple[Point, ...]  # fewest ranks first
    enough_ranks: int | None  # the fewest that no larger number beats beyond doubt
    larger_gain_nothing: bool  # beyond doubt: they are slower, or the same within the precision


@dataclass(frozen=True, slots=True)
class Comparison:
    """All variants against the first."""

    schema: str
    directory: str
    command: str  # as typed
    testbed: str  # its options; empty: where the launcher put the job
    measured_at: str  # ISO 8601
    basis: Basis | None  # what the ratios compare; None before anything was measured
    engine: str | None
    confidence: float  # of the intervals
    precision: float
    rounds: int  # that counted
    spent_s: float  # in runs, warm-up included
    end: End
    rows: tuple[Row, ...]  # the baseline first
    scalings: tuple[Scaling, ...]
    figure: str = ""  # the words around the figure that the user named
    same_work: bool = False  # the user says so

    @property
    def baseline(self) -> Row:
        return self.rows[0]
