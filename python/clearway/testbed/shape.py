"""What a testbed is to look like."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.errors import ClearwayError

DEEP: int | None = None  # a buffer that never overflows: the lossless reference
MOST_HOSTS = 128
CONGESTION_CONTROLS = ("cubic", "reno")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The hosts of a testbed, their links, and the switch between them."""

    hosts: int = 4
    rate_bps: int = 20_000_000  # of each host's card and of the switch port behind it, in bit/s
    buffer_bytes: int | None = 64_000  # of each switch port; DEEP: lossless
    per_host: int = 1  # ranks, where a run does not say otherwise
    congestion: str = "cubic"
    rto_min_ms: int | None = None  # None: the kernel's own, 200 ms

    def __post_init__(self) -> None:
        if not 1 <= self.hosts <= MOST_HOSTS:
            raise ClearwayError(f"a testbed cannot have {self.hosts} hosts", f"1 to {MOST_HOSTS} hosts")
        if not 100_000 <= self.rate_bps <= 100_000_000_000:
            raise ClearwayError(f"{self.rate_bps} bit/s is no rate of a link", "100kbit to 100gbit")
        if self.buffer_bytes is not None and not 2000 <= self.buffer_bytes <= 2**30:
            raise ClearwayError(
                f"a port buffer of {self.buffer_bytes} bytes is out of range",
                "2k (a full frame must fit) to 1g, or deep",
            )
        if self.per_host < 1:
            raise ClearwayError(f"{self.per_host} ranks on a host", "at least 1")
        if self.congestion not in CONGESTION_CONTROLS:
            raise ClearwayError(
                f"there is no congestion control '{self.congestion}' here", f"one of: {', '.join(CONGESTION_CONTROLS)}"
            )
        if self.rto_min_ms is not None and not 1 <= self.rto_min_ms <= 10_000:
            raise ClearwayError(f"{self.rto_min_ms} ms is no minimum timeout", "1 to 10000")
