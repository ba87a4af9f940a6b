"""Collective operations in an order that keeps the ports' queues short: `clearway run --flow`."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED, share_of
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
WHAT = "let Clearway order the collective operations (flow)"
CHANGE = Change(recorder_options=("--flow",))
LEFT_BY_TRIALS = 0.9  # of the gain: the first calls at each size try what is best


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = share of stalls (or, without any, of moving data) in operations that it orders, less its trials.

    All that the rule rendezvous finds is in such operations.
    """
    if not fits(case):
        return None
    part = 1.0 if finding.rule == "rendezvous" else share_of(case, STEERED)
    if part <= 0:
        return None
    return Offer(
        what=WHAT,
        why=f"{100 * part:.0f} % of this finding's time is in operations that it can order",
        gain=LEFT_BY_TRIALS * part,
        change=CHANGE,
    )


def fits(case: Case) -> bool:
    """Whether it is not in force, and may have something to steer."""
    return not case.tables.flow and case.tables.job.hosts >= 2
