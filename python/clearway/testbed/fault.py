"""What is wrong with one host of a testbed: a slow processor, a slow port, also one way only, a port that loses
packets, or large ones, a long cable."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_rate_bps, parse_share
from clearway.base.whole import is_whole

EXAMPLE = (
    "node3:cpu=50%, node3:rate=10mbit, node3:rate-to=10mbit, node3:loss=1%, node3:mtu=1400 or node3:latency-us=500"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Of host `node`, counted from 1 as in its name. What is None is as on the other hosts."""

    node: int
    cpu_share: float | None = None  # of one core, for all that runs on the host
    rate_bps: int | None = None  # of the host's port, in both directions
    rate_to_bps: int | None = None  # of the switch's port toward the host alone: what it sends keeps its rate
    loss: float | None = None  # share of the packets on their way to the host
    mtu_bytes: int | None = None  # larger IP packets to the host are dropped, and nobody is told (RFC 2923, 2.1)
    latency_us: int | None = None  # of what it sends, besides the testbed's own

    def __post_init__(self) -> None:
        if self.cpu_share is not None and not 0.05 <= self.cpu_share <= 64:
            raise ClearwayError(f"{self.cpu_share:.0%} of a core is out of range", "5% to 6400%")
        if self.loss is not None and not 0 < self.loss < 1:
            raise ClearwayError(
                f"a loss of {self.loss:.0%} of the packets is out of range", "more than 0%, less than 100%"
            )
        if self.mtu_bytes is not None and not 576 <= self.mtu_bytes < 1500:
            raise ClearwayError(
                f"an MTU of {self.mtu_bytes} bytes is out of range", "576 to 1499: hosts send up to 1500"
            )
        if self.latency_us is not None and not 1 <= self.latency_us <= 1_000_000:
            raise ClearwayError(f"{self.latency_us} µs is out of range for a latency", "1 to 1000000")


def parse_fault(text: str) -> Fault:
    """As written on the command line: node3:loss=1%."""
    match = re.fullmatch(r"node(\d{1,9}):(cpu|rate|rate-to|loss|mtu|latency-us)=(.+)", text.strip())
    if match is None:
        raise ClearwayError(f"'{text}' is not a fault of a host", EXAMPLE)
    node, kind, value = int(match[1]), match[2], match[3]
    if kind == "rate":
        return Fault(node=node, rate_bps=parse_rate_bps(value))
    if kind == "rate-to":
        return Fault(node=node, rate_to_bps=parse_rate_bps(value))
    if kind in ("mtu", "latency-us"):
        if not is_whole(value):
            what = "bytes" if kind == "mtu" else "microseconds"
            raise ClearwayError(f"'{text}': '{value}' is not a number of {what}", EXAMPLE)
        return Fault(node=node, mtu_bytes=int(value)) if kind == "mtu" else Fault(node=node, latency_us=int(value))
    try:
        share = parse_share(value)
    except ClearwayError as error:
        raise ClearwayError(f"'{text}': {error.message}", EXAMPLE) from None
    return Fault(node=node, cpu_share=share) if kind == "cpu" else Fault(node=node, loss=share)
