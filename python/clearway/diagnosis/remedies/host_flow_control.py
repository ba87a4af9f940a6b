"""Ethernet flow control: a switch whose buffer fills up lets the card wait instead of dropping packets."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.message_card import busiest_card
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: the switch must do it too, and the record does not see the switch."""
    card = busiest_card(case)
    states = {host.facts.get(f"net.{card}.{way}_pause") for host in case.tables.hosts for way in ("rx", "tx")}
    if not card or not any(map(host_faults.is_off, states)):
        return None  # on, or a card without
    return Offer(
        what=f"let {card} obey and send pause frames",
        why="flow control is off; when it is on, in hosts and switch, a full port buffer delays packets instead of "
        "dropping them",
        gain=None,
        command=host_faults.flow_control(card).command,
        needs_root=True,
    )
