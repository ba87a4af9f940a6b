"""Whether the card agrees with the switch on speed and duplex, or has them nailed down on its side only."""

from __future__ import annotations

from clearway.base.whole import is_whole
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.ethtool import on_or_off, read_pairs
from clearway.cluster.hosts.settings.model import Change, Setting, Step


def read_negotiation(reader: Reader, device: str) -> str:
    return read_pairs(reader, "", device).get("Auto-negotiation", "unknown")


def as_it_is(reader: Reader, device: str) -> tuple[str, ...]:
    """The words for ethtool that nail down what the link has now."""
    shown = read_pairs(reader, "", device)
    speed = shown.get("Speed", "").removesuffix("Mb/s")
    duplex = shown.get("Duplex", "").lower()
    nailed = ("speed", speed) if is_whole(speed) else ()
    return ("autoneg", "off", *nailed, *(("duplex", duplex) if duplex in ("full", "half") else ()))


def plan(reader: Reader, device: str, value: str) -> Change:
    wanted = on_or_off(SETTING.id, value)
    before = read_negotiation(reader, device)
    words = {"on": ("autoneg", "on"), "off": as_it_is(reader, device)}
    undo = words["on" if before == "on" else "off"]
    step = Step(("ethtool", "-s", device, *words[wanted]), ("ethtool", "-s", device, *undo))
    return Change(SETTING.id, device, before, wanted, (step,))


SETTING = Setting(
    "link.negotiation",
    "let card and switch agree on the fastest speed and on full duplex",
    "the link goes down for a few seconds; unsafe where the speed of the switch's port is fixed",
    "on or off",
    "on",
    True,
    read_negotiation,
    plan,
)
