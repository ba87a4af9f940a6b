"""Card and switch left to agree on the fastest speed and on full duplex."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.slow_links import slow_links
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: a cable or the switch's port may be what is slow."""
    slow = [one.load.link for one in slow_links(case.tables, case.connections) if not one.limited_by_host]
    if not slow:
        return None  # what the host limits itself no negotiation changes
    link = slow[0]
    return Offer(
        what=f"let {link.card} of {link.host} and the switch agree on speed and duplex again",
        why="where only one side has a fixed speed, the link falls back to a lower speed or half duplex",
        gain=None,
        command=host_faults.negotiation(link.card).command,
        needs_root=True,
    )
