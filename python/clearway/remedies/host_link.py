"""Card and switch left to agree on the fastest speed and on full duplex."""

from __future__ import annotations

from clearway.diagnosis.cards import busiest_card
from clearway.diagnosis.case import Case
from clearway.finding import Finding
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: a cable or the switch's port may be what is slow."""
    card = busiest_card(case)
    if not card:
        return None
    return Offer(
        what=f"let {card} and the switch agree on speed and duplex again",
        why="a port or card with its speed nailed down on one side only falls back to a lower speed or half duplex",
        gain=None,
        command=f"sudo clearway host apply link.negotiation=on --device {card}",
        needs_root=True,
    )
