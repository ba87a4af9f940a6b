"""Each rank kept on cores of its own, so that its data stays in their caches and no two ranks meet on one core."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.rank_places import fits, pin_change, pinned
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"one-rank-a-core", "fewer-ranks"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised where something else runs on these cores: a pinned rank cannot get out of its way."""
    if pinned(case) or not fits(case):
        return None
    change = pin_change(case)
    if change is None:
        return None
    return Offer(
        what="keep each rank on cores of its own",
        why=_why(case),
        gain=None if finding.rule == "foreign-load" else 1.0,
        change=change,
    )


def _why(case: Case) -> str:
    """Ranks that are bound to one processor each, and to the same one, cannot be moved: that is another matter."""
    if all(len(allowed(rank.cpus)) == 1 for rank in case.tables.ranks):
        return "several ranks are bound to the same processor"
    return "the scheduler may now move ranks, or put two on one core while another is free"
