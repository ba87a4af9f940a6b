"""Which cards there are, and which of them the host's name and the way out lead to."""

from __future__ import annotations

import json
import platform
import socket
from collections.abc import Iterator
from typing import Any

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.sources.one import fact
from clearway.cluster.hosts.state import Fact

ADDRESSES = ("ip", "-j", "-d", "-4", "address", "show")
MADE = ("bridge", "dummy", "tun", "ifb", "wireguard", "vxlan", "sit", "gre")  # no card behind them
FABRICS = "/sys/class/infiniband/*/node_type"


def cards_of(addresses: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The IPv4 addresses of each card that is up, loopback and what is no card left out."""
    return {
        link["ifname"]: [address["local"] for address in link["addr_info"] if "local" in address]
        for link in addresses
        if link.get("addr_info")
        and {"UP", "LOWER_UP"} <= set(link["flags"])
        and "LOOPBACK" not in link["flags"]
        and link.get("linkinfo", {}).get("info_kind") not in MADE
    }


def read_cards(reader: Reader) -> dict[str, list[str]]:
    return cards_of(json.loads(reader.says(*ADDRESSES)))


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    source = " ".join(ADDRESSES)
    yield "network.cards", fact(source, lambda: " ".join(read_cards(reader)))
    try:
        for card, addresses in read_cards(reader).items():
            yield f"link.{card}.address", Fact(" ".join(addresses), source)
    except UnreadableError:
        pass  # network.cards has said so
    yield "network.name_address", fact(f"getaddrinfo {platform.node()}", name_address)
    yield "network.name_card", fact(source, lambda: card_of(name_address(), read_cards(reader)))
    yield "network.default_card", fact("ip -j -4 route show default", lambda: default_card(reader))
    yield "network.fabrics", fact(FABRICS, lambda: " ".join(path.split("/")[4] for path in reader.names(FABRICS)))


def name_address() -> str:
    """The address that the host's own name means here."""
    try:
        return socket.gethostbyname(platform.node())
    except OSError as error:
        raise UnreadableError(f"getaddrinfo {platform.node()}", error.strerror or str(error)) from None


def card_of(address: str, cards: dict[str, list[str]]) -> str:
    for card, addresses in cards.items():
        if address in addresses:
            return card
    raise UnreadableError("the card of the host's name", f"no card has its address, {address}")


def default_card(reader: Reader) -> str:
    routes = json.loads(reader.says("ip", "-j", "-4", "route", "show", "default"))
    if not routes:
        raise UnreadableError("ip -j -4 route show default", "there is no default route")
    return str(routes[0]["dev"])
