"""A faster card of the same host that leads to the same other hosts."""

from __future__ import annotations

from collections.abc import Mapping

from clearway.diagnosis.facts.card_loads import Load
from clearway.diagnosis.facts.host_cards import Link

FASTER = 1.5  # times: less is not worth another network


def better_card(load: Load, by_host: Mapping[str, tuple[Link, ...]]) -> Link | None:
    """The fastest card of the same host that is on one network with all hosts at the other ends."""
    if load.link.bytes_per_s is None:
        return None
    least = FASTER * load.link.bytes_per_s
    others = {peer.host for peer in load.peers}
    able = [
        card
        for card in by_host[load.link.host]
        if (card.bytes_per_s or 0.0) >= least
        and all(any(_joined(card, there, least) for there in by_host[other]) for other in others)
    ]
    return max(able, key=lambda card: card.bytes_per_s or 0.0, default=None)


def _joined(here: Link, there: Link, least: float) -> bool:
    """On one network; bridges that every host has for itself (of containers) share a network and the address too."""
    one_network = bool(here.networks & there.networks) and not here.addresses & there.addresses
    return one_network and (there.bytes_per_s or 0.0) >= least
