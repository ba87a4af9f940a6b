"""Messages by a card that joins the hosts, and not by one that each host has for itself."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.host_cards import Link, links
from clearway.diagnosis.facts.own_addresses import astray
from clearway.diagnosis.facts.transport import transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.diagnosis.remedies.network_card import to_card

EXCLUDES = frozenset({"network-card"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: the job goes on then."""
    found, name = astray(case), _joining(case)
    change = to_card(transport(case), name) if name else None
    if found is None or change is None:
        return None
    return Offer(
        what=f"send messages over {name} instead of {found.card}",
        why=f"{name} connects the hosts; {found.card} has the same address on each of them",
        gain=1.0,
        change=change,
    )


def _joining(case: Case) -> str:
    """The fastest card, of one name on all hosts, whose networks are the same and whose addresses are not."""
    by_host = list(links(case.tables.hosts).values())
    if len(by_host) < 2:
        return ""
    named = [{card.card: card for card in cards} for cards in by_host]
    able = [
        [each[name] for each in named]
        for name in named[0]
        if name != "lo" and all(name in each for each in named) and _joins([each[name] for each in named])
    ]
    best = max(able, key=lambda cards: min(card.bytes_per_s or 0.0 for card in cards), default=None)
    return best[0].card if best else ""


def _joins(cards: list[Link]) -> bool:
    networks = frozenset.intersection(*(card.networks for card in cards))
    addresses = [address for card in cards for address in card.addresses]
    return bool(networks) and len(set(addresses)) == len(addresses)
