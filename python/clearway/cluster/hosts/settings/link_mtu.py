"""The largest packet of a link: jumbo frames take a sixth of the packets, if everyone on the network takes them."""

from __future__ import annotations

import json

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.model import Change, Setting, Step

LEAST, MOST = 1280, 9600


def read_mtu(reader: Reader, device: str) -> str:
    return str(json.loads(reader.says("ip", "-j", "link", "show", "dev", device))[0]["mtu"])


def plan(reader: Reader, device: str, value: str) -> Change:
    if not is_whole(value) or not LEAST <= int(value) <= MOST:
        raise ClearwayError(f"link.mtu cannot be '{value}'", f"{LEAST} to {MOST}, as link.mtu=9000")
    before = read_mtu(reader, device)
    line = ("ip", "link", "set", "dev", device, "mtu")
    return Change(SETTING.id, device, before, str(int(value)), (Step((*line, value), (*line, before)),))


SETTING = Setting(
    "link.mtu",
    "the largest packet that the card sends, in bytes",
    "unsafe unless all hosts of the network and the switch take packets of that size: larger ones are lost",
    "bytes, as 9000 or 1500",
    None,
    True,
    read_mtu,
    plan,
)
