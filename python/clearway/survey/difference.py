"""What sets two Runs, or two groups of Runs, apart: the tree that all outputs of `clearway diff` show.

Seconds are wall-clock: the mean over ranks, and over the Runs of a group, of the same work. Bounds (`low`, `high`) hold
with 95 % ("95 % interval", as `clearway compare` has it); None where fewer than three Runs of each leave them unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.experiment.comparison import Basis, Verdict
from clearway.ledger.totals import Ledger
from clearway.survey.changes import Change
from clearway.survey.row import Row

SCHEMA = "clearway-diff-1"


@dataclass(frozen=True, slots=True)
class Side:
    """A group of Runs, or one."""

    name: str  # "A", "B"
    runs: tuple[Row, ...]
    seconds: float | None  # by the basis, geometric mean
    least_seconds: float | None
    most_seconds: float | None
    work: float  # work of its Runs ÷ that of A's; its seconds are divided by this
    ledger: Ledger  # seconds of wall-clock, mean over ranks and Runs


@dataclass(frozen=True, slots=True)
class Part:
    """Seconds of one kind, on both sides."""

    key: str  # a field of the ledger's losses, a function of MPI, a host
    label: str
    a_s: float
    b_s: float
    more_s: float  # in B
    low_s: float | None
    high_s: float | None
    share: (
        float | None
    )  # of all that B takes longer, or less; None where the spread allows no claim, or it went against it
    share_low: float | None
    share_high: float | None


@dataclass(frozen=True, slots=True)
class Found:
    """A finding, and what it costs in the Runs of each side: the mean, as a share of the wall-clock."""

    rule: str
    title: str
    a: float
    b: float
    a_runs: int  # number of Runs with this finding
    b_runs: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All of it. `sentence` says it in plain words."""

    schema: str
    sentence: str
    a: Side
    b: Side
    basis: Basis | None  # what the ratio compares; None if nothing was measured
    ratio: float | None  # time of B ÷ time of A
    ratio_low: float | None
    ratio_high: float | None
    verdict: Verdict  # verdict on B; "unclear" also if there are too few Runs to exclude chance
    not_compared: str  # why the ratio does not show the speed; empty if it does
    confidence: float  # confidence level of the bounds
    causes: tuple[Part, ...]  # the wall-clock; each wait charged to what held up the rank that was waited for
    calls: tuple[Part, ...]  # time in functions of MPI, those furthest apart first
    functions: tuple[Part, ...]  # computing in functions of the program, likewise; empty if not all Runs were sampled
    hosts: tuple[Part, ...]  # seconds of the largest cause by host; empty if the sides ran on different hosts
    changes: tuple[Change, ...]  # settings that differ
    findings: tuple[Found, ...]
    notes: tuple[str, ...]
