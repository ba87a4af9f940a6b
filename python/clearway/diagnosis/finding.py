"""What is wrong with a Run: the fault, the figures that show it, the wall-clock it costs, and what mends it.

`clearway.diagnosis.diagnose` makes them; they are part of the page (`Page.findings`).
"""

from __future__ import annotations

from dataclasses import dataclass

WORTH_SAYING = 0.03  # of the wall-clock: what costs less is no finding. Runs of one job differ by as much


@dataclass(frozen=True, slots=True)
class Evidence:
    """A figure, and where it was read."""

    what: str  # "retransmission timeouts"
    value: str  # "132", "4.1 MB": with its unit
    source: str  # "tcp_info of 56 connections"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something to do about it. The first one of a finding is the smallest that should work."""

    id: str  # as given to `clearway fix --remedy`
    what: str
    command: str  # what to type, or what to ask the administrator for
    needs_root: bool
    reversible: bool
    expected_gain_s: float | None  # expected gain of wall-clock; None if unknown
    why: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. No second of wall-clock is counted in two findings."""

    rule: str  # as given to `clearway explain`
    title: str
    says: str  # what is wrong in this job, in a sentence or two
    cost_s: float  # seconds of wall-clock
    share: float  # of the wall-clock
    evidence: tuple[Evidence, ...]
    remedies: tuple[Remedy, ...]
    confidence: float  # that this is the cause, from 0 to 1
    when: str = ""  # when it cost that, in a sentence; empty if always, or unknown
