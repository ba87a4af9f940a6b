"""The network cards of a job's hosts, and which of them its connections use."""

from __future__ import annotations

from collections import Counter

from clearway.diagnosis.case import Case
from clearway.page import Host, Interface


def card_of(host: Host, address: str) -> Interface | None:
    """The card of `host` that has `address`."""
    for card in host.interfaces:
        if address in host.facts.get(f"net.{card.name}.addresses", "").split():
            return card
    return None


def bytes_by_card(case: Case) -> Counter[str]:
    """What the job's connections moved, by the name of the card on their own host. Not within a host."""
    hosts = {host.name: host for host in case.page.hosts}
    moved: Counter[str] = Counter()
    for socket in case.page.sockets:
        host = hosts.get(socket.host)
        card = card_of(host, socket.local.rpartition(":")[0].strip("[]")) if host else None
        if card is not None and card.name != "lo":
            moved[card.name] += socket.bytes_sent + socket.bytes_received
    return moved


def card_in_use(case: Case) -> str:
    """The card that carries most; "" where the record does not tell."""
    busiest = bytes_by_card(case).most_common(1)
    return busiest[0][0] if busiest else ""


def common_cards(case: Case) -> dict[str, int | None]:
    """Cards that have an address on every host of the job, with the least speed (Mbit/s) that any host says."""
    if not case.page.hosts:
        return {}
    names = set.intersection(*(_with_address(host) for host in case.page.hosts))
    return {name: _least_speed(case, name) for name in sorted(names)}


def _with_address(host: Host) -> set[str]:
    cards = (card.name for card in host.interfaces if card.name != "lo")
    return {name for name in cards if host.facts.get(f"net.{name}.addresses")}


def _least_speed(case: Case, name: str) -> int | None:
    cards = [card for host in case.page.hosts for card in host.interfaces if card.name == name]
    speeds = [card.speed_mbit for card in cards if card.speed_mbit]
    return min(speeds) if speeds else None
