"""What came out: the tree that all outputs show, and that `clearway fix` shows as proof."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.older_python import StrEnum
from clearway.experiment.others import Others

SCHEMA = "clearway-compare-1"


class Basis(StrEnum):
    """What is compared: the best figure that all runs have."""

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
    UNDER_WAY = "under way"  # rounds that were submitted to a batch system are missing


@dataclass(frozen=True, slots=True)
class Row:
    """A variant. Times are means over its counted rounds; None is what is not known."""

    name: str
    changes: str  # in a few words
    command: str  # as a user would type it
    ranks: int | None
    launcher: str | None  # launcher, if it is not the job's own
    verdict: Verdict
    rounds: int  # number of rounds that counted
    wall_s: float | None  # of the steady part if MPI is used, else of the whole run
    cpu_s: float | None  # CPU time of all threads of a rank, mean over ranks
    s_per_step: float | None
    ns_per_day: float | None
    ratio: float | None  # time ÷ the baseline's, round by round; below 1 is faster
    ratio_low: float | None  # its interval
    ratio_high: float | None
    price_per_ns_day: float | None
    runs: tuple[str, ...]  # Run directories of the rounds that counted
    fault: str  # why the last failed run failed
    figure: float | None = None  # value of the figure that the user named
    not_compared: str = ""  # why its time does not show its speed; empty if it does


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
    larger_gain_nothing: bool  # certain: larger numbers are slower, or equal within the precision


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
    rounds: int  # number of rounds that counted
    spent_s: float  # seconds in runs, including the warm-up
    end: End
    rows: tuple[Row, ...]  # the baseline first
    scalings: tuple[Scaling, ...]
    figure: str = ""  # the figure that the user named: the words around it
    same_work: bool = False  # the user says that all runs do the same work
    others: Others | None = None  # other programs beside the runs; None if they took next to nothing, or on a testbed

    @property
    def baseline(self) -> Row:
        return self.rows[0]
