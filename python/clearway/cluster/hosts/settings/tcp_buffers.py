"""Ceilings of socket buffers: what an MPI may ask for, and how far the kernel lets a buffer grow by itself."""

from __future__ import annotations

import re

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.model import Change, Setting
from clearway.cluster.hosts.settings.sysctl import read_sysctl, write_step

ASKED = ("net.core.rmem_max", "net.core.wmem_max")  # by SO_RCVBUF, SO_SNDBUF
GROWN = ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")  # least, first, most
FACTORS = {"": 1, "k": 1024, "m": 1024**2}
MOST_BYTES = 2**30


def parse_bytes(value: str) -> int:
    match = re.fullmatch(r"(\d+)([km]?)", value.lower())
    number = int(match[1]) * FACTORS[match[2]] if match else 0
    if not 65536 <= number <= MOST_BYTES:
        raise ClearwayError(f"tcp.buffers cannot be '{value}'", "64k to 1024m, as tcp.buffers=4m")
    return number


def with_most(three: str, most: int) -> str:
    """tcp_rmem's three numbers; a ceiling is raised, never lowered."""
    least, first, last = three.split()
    return f"{least} {first} {max(most, int(last))}"


def read_all(reader: Reader) -> dict[str, str]:
    return {key: read_sysctl(reader, key) for key in (*ASKED, *GROWN)}


def words(values: dict[str, str]) -> str:
    return "; ".join(f"{key}={value}" for key, value in values.items())


def plan(reader: Reader, _device: str, value: str) -> Change:
    most = parse_bytes(value)
    before = read_all(reader)
    after = {key: str(max(most, int(before[key]))) for key in ASKED}
    after |= {key: with_most(before[key], most) for key in GROWN}
    steps = tuple(write_step(key, before[key], after[key]) for key in before)
    return Change(SETTING.id, "", words(before), words(after), steps)


SETTING = Setting(
    "tcp.buffers",
    "raise the ceilings of TCP's buffers: net.core.rmem_max and wmem_max, and the last of tcp_rmem and tcp_wmem",
    "safe: a ceiling takes no memory; a connection that needs it may take that much",
    "bytes, as 4m or 4194304; higher ceilings stay",
    "4m",
    False,
    lambda reader, _device: words(read_all(reader)),
    plan,
)
