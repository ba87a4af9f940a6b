"""Ceilings of socket buffers: what an MPI may ask for, and how far the kernel lets a buffer grow by itself."""

from __future__ import annotations

from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.model import Change, Setting
from clearway.cluster.hosts.settings.sizes import setting_bytes
from clearway.cluster.hosts.settings.sysctl import read_sysctl, write_step

ASKED = ("net.core.rmem_max", "net.core.wmem_max")  # by SO_RCVBUF, SO_SNDBUF
GROWN = ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")  # least, first, most
LEAST_BYTES, MOST_BYTES = 64_000, 2**30


def with_most(three: str, most: int) -> str:
    """tcp_rmem's three numbers; a ceiling is raised, never lowered."""
    least, first, last = three.split()
    return f"{least} {first} {max(most, int(last))}"


def read_all(reader: Reader) -> dict[str, str]:
    return {key: read_sysctl(reader, key) for key in (*ASKED, *GROWN)}


def words(values: dict[str, str]) -> str:
    return "; ".join(f"{key}={value}" for key, value in values.items())


def plan(reader: Reader, _device: str, value: str) -> Change:
    most = setting_bytes(SETTING.id, value, LEAST_BYTES, MOST_BYTES, "64k to 1Gi, as tcp.buffers=4Mi")
    before = read_all(reader)
    after = {key: str(max(most, int(before[key]))) for key in ASKED}
    after |= {key: with_most(before[key], most) for key in GROWN}
    steps = tuple(write_step(key, before[key], after[key]) for key in before)
    return Change(SETTING.id, "", words(before), words(after), steps)


SETTING = Setting(
    "tcp.buffers",
    "raise the limits of TCP's buffers: net.core.rmem_max and wmem_max, and the last value of tcp_rmem and tcp_wmem",
    "safe: a limit takes no memory; a connection that needs it may take that much",
    "a size, as 4Mi or 4194304; higher limits are kept",
    "4Mi",
    False,
    lambda reader, _device: words(read_all(reader)),
    plan,
)
