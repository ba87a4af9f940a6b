"""Each network card: its speed and what it could have, flow control, offloads, errors, stalls of lost packets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings.ethtool import pairs
from clearway.cluster.hosts.settings.link_flow_control import read_pause
from clearway.cluster.hosts.settings.link_offloads import read_features
from clearway.cluster.hosts.sources.network import read_cards
from clearway.cluster.hosts.sources.one import fact, of_file
from clearway.cluster.hosts.state import Fact

LABELS = {
    "duplex": "Duplex",
    "negotiation": "Auto-negotiation",
    "can_negotiate": "Supports auto-negotiation",
}


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    try:
        cards = read_cards(reader)
    except UnreadableError:
        return  # network.cards says so
    for card in cards:
        yield from read_card(reader, card)


def read_card(reader: Reader, card: str) -> Iterator[tuple[str, Fact]]:
    asked = f"ethtool {card}"
    yield (
        f"link.{card}.speed_mbit",
        either(
            fact(asked, lambda: speed_mbit(reader, card)),
            of_file(reader, f"/sys/class/net/{card}/speed", positive),  # where ethtool is not installed
        ),
    )
    yield f"link.{card}.supported_mbit", fact(asked, lambda: fastest(reader.says("ethtool", card), "Supported", asked))
    yield f"link.{card}.partner_mbit", fact(asked, lambda: fastest(reader.says("ethtool", card), "Link partner", asked))
    for name, label in LABELS.items():
        yield f"link.{card}.{name}", fact(asked, partial(labelled, reader, card, label))
    for way in ("rx", "tx"):
        yield f"link.{card}.pause_{way}", fact(f"ethtool -a {card}", partial(pause, reader, card, way))
    yield f"link.{card}.offloads_off", fact(f"ethtool -k {card}", lambda: offloads_off(reader, card))
    counted = f"ip -j -s link show dev {card}"
    yield f"link.{card}.mtu", fact(counted, lambda: link_of(reader, card)["mtu"])
    for way in ("rx", "tx"):
        for what in ("packets", "errors", "dropped"):
            yield f"link.{card}.{way}_{what}", fact(counted, partial(counter, reader, card, way, what))
    yield f"link.{card}.rto_min_ms", fact(f"ip -j -4 route show dev {card}", lambda: rto_min_ms(reader, card))


def either(first: Fact, second: Fact) -> Fact:
    return second if first.value is None and second.value is not None else first


def positive(text: str) -> int:
    if int(text) <= 0:
        raise ValueError(text)
    return int(text)


def speed_mbit(reader: Reader, card: str) -> int:
    return int(labelled(reader, card, "Speed").removesuffix("Mb/s"))


def labelled(reader: Reader, card: str, label: str) -> str:
    text = pairs(reader.says("ethtool", card)).get(label, "Unknown!")
    if text.startswith("Unknown!"):
        raise UnreadableError(f"ethtool {card}", f"the card does not report its {label.lower()}")
    return text


def pause(reader: Reader, card: str, way: str) -> str:
    return read_pause(reader, card)[way]


def counter(reader: Reader, card: str, way: str, what: str) -> int:
    return int(link_of(reader, card)["stats64"][way][what])


def fastest(text: str, who: str, source: str) -> int:
    """The fastest of "WHO link modes:", which ethtool(8) lists over several lines: 1000baseT/Full."""
    head = "advertised link modes" if who == "Link partner" else "link modes"
    match = re.search(rf"{who} {head}:((?:.|\n\s)*?)(?=\n\s+[A-Z]|\Z)", text)
    speeds = [int(number) for number in re.findall(r"(\d+)base", match[1])] if match else []
    if not speeds:
        raise UnreadableError(
            source, f"the {'switch' if who == 'Link partner' else 'card'} does not report its link modes"
        )
    return max(speeds)


def offloads_off(reader: Reader, card: str) -> str:
    return " ".join(name for name, value in read_features(reader, card).items() if value == "off")


def link_of(reader: Reader, card: str) -> dict[str, Any]:
    link: dict[str, Any] = json.loads(reader.says("ip", "-j", "-s", "link", "show", "dev", card))[0]
    return link


def rto_min_ms(reader: Reader, card: str) -> int:
    """The longest of the card's routes to its own networks; 0 where one leaves it to the kernel."""
    routes = json.loads(reader.says("ip", "-j", "-4", "route", "show", "dev", card, "scope", "link"))
    times = [route.get("metrics", [{}])[0].get("rto_min", 0) for route in routes]
    return 0 if 0 in times or not times else int(max(times))
