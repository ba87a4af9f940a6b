"""IEEE 802.3x flow control: a switch whose buffer fills up asks the card to pause, instead of dropping packets."""

from __future__ import annotations

from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.ethtool import on_or_off, read_pairs, words
from clearway.cluster.hosts.settings.model import Change, Setting, Step


def read_pause(reader: Reader, device: str) -> dict[str, str]:
    shown = read_pairs(reader, "-a", device)
    return {"rx": shown.get("RX", "off"), "tx": shown.get("TX", "off")}


def plan(reader: Reader, device: str, value: str) -> Change:
    wanted = on_or_off(SETTING.id, value)
    before = read_pause(reader, device)
    after = dict.fromkeys(before, wanted)
    step = Step(("ethtool", "-A", device, *words(after).split()), ("ethtool", "-A", device, *words(before).split()))
    return Change(SETTING.id, device, words(before), words(after), (step,))


SETTING = Setting(
    "link.flow_control",
    "let the card obey and send pause frames, so that a full switch buffer delays packets instead of dropping them",
    "the link may go down for a second or two; the switch must have flow control on as well; "
    "one slow host can then hold up the ports around it",
    "on or off",
    "on",
    True,
    lambda reader, device: words(read_pause(reader, device)),
    plan,
)
