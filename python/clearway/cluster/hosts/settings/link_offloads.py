"""Segmenting and merging of packets by the card: without it, the cores do it and the job waits for them."""

from __future__ import annotations

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings.ethtool import on_or_off, read_pairs, words
from clearway.cluster.hosts.settings.model import Change, Setting, Step

FEATURES = {
    "tso": "tcp-segmentation-offload",
    "gso": "generic-segmentation-offload",
    "gro": "generic-receive-offload",
}
FIXED = "[fixed]"  # the card cannot change it


def read_features(reader: Reader, device: str) -> dict[str, str]:
    """Those that can be changed: {"tso": "on"}."""
    shown = read_pairs(reader, "-k", device)
    found = {short: shown.get(name, FIXED) for short, name in FEATURES.items()}
    changeable = {short: value.split()[0] for short, value in found.items() if FIXED not in value}
    if not changeable:
        raise UnreadableError(f"ethtool -k {device}", "this card does not allow its offloads to be changed")
    return changeable


def plan(reader: Reader, device: str, value: str) -> Change:
    wanted = on_or_off(SETTING.id, value)
    before = read_features(reader, device)
    after = dict.fromkeys(before, wanted)
    step = Step(("ethtool", "-K", device, *words(after).split()), ("ethtool", "-K", device, *words(before).split()))
    return Change(SETTING.id, device, words(before), words(after), (step,))


SETTING = Setting(
    "link.offloads",
    "let the card cut messages into packets and merge those that arrive (TSO, GSO, GRO)",
    "safe; some old cards and bridges for virtual machines are faster without",
    "on or off",
    "on",
    True,
    lambda reader, device: words(read_features(reader, device)),
    plan,
)
