"""What settings of network cards share: reading what ethtool(8) prints, `Name: value` a line."""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.reader import Reader

ON_OFF = ("on", "off")


def pairs(text: str) -> dict[str, str]:
    """The first of each name: `ethtool -g` has maxima above what is set, and so do we want to read it (see `ring`)."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            found.setdefault(name.strip(), value.strip())
    return found


def read_pairs(reader: Reader, option: str, device: str) -> dict[str, str]:
    return pairs(reader.says("ethtool", *([option] if option else []), device))


def on_or_off(name: str, value: str) -> str:
    if value not in ON_OFF:
        raise ClearwayError(f"{name} cannot be '{value}'", f"{name}=on or {name}=off")
    return value


def words(values: dict[str, str]) -> str:
    """`rx on tx off`: as ethtool reads it and we compare it."""
    return " ".join(f"{name} {value}" for name, value in values.items())
