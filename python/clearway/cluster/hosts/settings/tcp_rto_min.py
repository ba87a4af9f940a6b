"""The least time after which TCP takes a segment for lost, on the routes to the cluster's own network.

By route, not for the whole host: connections to far-away places keep the kernel's 200 ms.
"""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_time_ns
from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.settings.model import Change, Setting, Step
from clearway.diagnosis.host_faults import LEAST_TIMEOUT

KERNEL = "kernel"  # VALUE that takes it off the routes
OUTPUT_ONLY = ("linkdown", "dead", "offload", "rt_offload", "trap", "rt_trap", "notify")  # ip(8) does not read them


def routes_of(reader: Reader, device: str) -> list[tuple[str, ...]]:
    """The IPv4 routes to what `device` reaches without a gateway, each in words that `ip route change` reads."""
    listing = reader.says("ip", "-4", "-o", "route", "show", "table", "main", "dev", device, "scope", "link")
    routes = [as_input(line.split(), device) for line in listing.splitlines() if line.strip()]
    if not routes:
        raise UnreadableError(
            f"the routes of {device}", "none of them leads to a network of its own", "--device CARD; see `ip -4 route`"
        )
    return routes


def as_input(words: list[str], device: str) -> tuple[str, ...]:
    """ip(8) prints a lock behind rto_min but does not read it there: it always sets it."""
    kept = [word for word in words if word not in OUTPUT_ONLY]
    if "rto_min" in kept and kept[kept.index("rto_min") + 1] == "lock":
        del kept[kept.index("rto_min") + 1]
    return (kept[0], "dev", device, "scope", "link", *kept[1:])  # which it leaves out where it was asked for them


def with_rto_min(route: tuple[str, ...], value: str) -> tuple[str, ...]:
    words = list(route)
    if "rto_min" in words:
        at = words.index("rto_min")
        del words[at : at + 2]
    return (*words, "rto_min", value) if value != KERNEL else tuple(words)


def parse(value: str) -> str:
    if value == KERNEL:
        return value
    try:
        time_ms, rest_ns = divmod(parse_time_ns(value), 1_000_000)
    except ClearwayError:
        time_ms, rest_ns = 0, 0
    if rest_ns or not 1 <= time_ms <= 10_000:
        raise ClearwayError(f"tcp.rto_min cannot be '{value}'", "1ms to 10s, as tcp.rto_min=50ms, or kernel")
    return f"{time_ms}ms"


def words(routes: list[tuple[str, ...]]) -> str:
    """In an order of its own: ip(8) prints metrics where it likes."""
    return "; ".join(" ".join((route[0], *sorted(pairs_of(route[1:])))) for route in routes)


def pairs_of(words: tuple[str, ...]) -> list[str]:
    """`dev eth0 proto kernel onlink` as "dev eth0", "proto kernel", "onlink"."""
    found, rest = [], list(words)
    while rest:
        size = 1 if rest[0] in ("onlink", "pervasive") else 3 if rest[1:2] == ["lock"] else 2
        found.append(" ".join(rest[:size]))
        del rest[:size]
    return found


def plan(reader: Reader, device: str, value: str) -> Change:
    wanted = parse(value)
    before = routes_of(reader, device)
    after = [with_rto_min(route, wanted) for route in before]
    steps = tuple(
        Step(("ip", "route", "change", *new), ("ip", "route", "change", *old))
        for new, old in zip(after, before, strict=True)
    )
    return Change(SETTING.id, device, words(before), words(after), steps)


SETTING = Setting(
    "tcp.rto_min",
    "the least time that a lost packet stalls a connection to the cluster's own network (kernel default: 200 ms)",
    "safe on a network with short round trips; below 40 ms an acknowledgement that is merely late counts as a loss",
    "a time, as 50ms; `kernel` restores the default",
    LEAST_TIMEOUT,
    True,
    lambda reader, device: words(routes_of(reader, device)),
    plan,
)
