"""The network cards of a job's hosts: how fast each is, and which networks it is on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clearway.base import quantities as q
from clearway.base.ethernet import SHARE_OF_WIRE
from clearway.base.whole import is_whole
from clearway.diagnosis.facts.tables.hosts import Host, Interface

BITS = 8
MEGA = 1_000_000
PAYLOAD = SHARE_OF_WIRE

MADE_UP = {"veth", "tun"}  # drivers of cards without a wire, which name some speed because they must
ON_EVERY_LINK = ("fe80:", "169.254.")  # link-local networks are called the same, and are not


@dataclass(frozen=True, slots=True)
class Link:
    """A card of a host, with the link it has."""

    host: str
    card: str
    bytes_per_s: float | None  # of data, one way; None where neither the card nor the host says
    addresses: frozenset[str]
    networks: frozenset[str]  # "10.77.0.0/16"


def links(hosts: Iterable[Host]) -> dict[str, tuple[Link, ...]]:
    """The cards of each host that have an address, by the host's name."""
    return {
        host.name: tuple(_link(host, card) for card in host.interfaces if _said(host, card, "addresses"))
        for host in hosts
    }


def _said(host: Host, card: Interface, name: str) -> list[str]:
    return host.facts.get(f"net.{card.name}.{name}", "").split()


def _link(host: Host, card: Interface) -> Link:
    return Link(
        host=host.name,
        card=card.name,
        bytes_per_s=_bytes_per_s(host, card),
        addresses=frozenset(_said(host, card, "addresses")),
        networks=frozenset(n for n in _said(host, card, "networks") if not n.startswith(ON_EVERY_LINK)),
    )


def _bytes_per_s(host: Host, card: Interface) -> float | None:
    """The least of what was negotiated and what the host itself limits the card to."""
    if card.name == "lo":
        return None
    made_up = host.facts.get(f"net.{card.name}.driver") in MADE_UP
    raw = [MEGA / BITS * card.speed_mbit] if card.speed_mbit and not made_up else []
    shaped = number(host, card.name, "shaped_bytes_per_s")
    if shaped:
        raw.append(float(shaped))
    return PAYLOAD * min(raw) if raw else None


def number(host: Host, card: str, name: str) -> int | None:
    """A fact of a card that is a number."""
    said = host.facts.get(f"net.{card}.{name}", "")
    return int(said) if is_whole(said) else None


def mbit(bytes_per_s: float) -> str:
    """The rate of a link as people say it: "1,000 Mbit/s"."""
    return f"{q.three_digits(bytes_per_s * BITS / MEGA / PAYLOAD)} Mbit/s"
