"""What a testbed is to look like."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.testbed.fault import Fault

DEEP: int | None = None  # a buffer that never overflows: the lossless reference
MOST_HOSTS = 128
MOST_CPUS = 1024
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
    switches: int = 1  # more than one: joined by uplinks to one between them
    uplink_bps: int | None = None  # of each uplink; None: as fast as one host's link
    spread: bool = False  # hosts are dealt out to the switches in turn, not in a row
    second_card_bps: int | None = None  # each host has eth1 as well, on a network of its own
    latency_us: int = 0  # of the way from one host to another, besides what the links take
    slurm: bool = False  # a controller on the head, a daemon on each host, and ordinary users
    host_cpus: int | None = None  # as Slurm is told; None: as many as this machine has
    faults: tuple[Fault, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.hosts <= MOST_HOSTS:
            raise ClearwayError(f"a testbed cannot have {self.hosts} hosts", f"1 to {MOST_HOSTS} hosts")
        rates = (self.rate_bps, self.uplink_bps, self.second_card_bps)
        for rate_bps in (*rates, *(rate for fault in self.faults for rate in (fault.rate_bps, fault.rate_to_bps))):
            if rate_bps is not None and not 100_000 <= rate_bps <= 100_000_000_000:
                raise ClearwayError(f"a link rate of {rate_bps} bit/s is out of range", "100kbit to 100gbit")
        if self.buffer_bytes is not None and not 2000 <= self.buffer_bytes <= 2**30:
            raise ClearwayError(
                f"a port buffer of {self.buffer_bytes} bytes is out of range",
                "2k (a full frame must fit) to 1g, or deep",
            )
        if self.per_host < 1:
            raise ClearwayError(f"a host cannot have {self.per_host} ranks", "at least 1")
        if self.congestion not in CONGESTION_CONTROLS:
            raise ClearwayError(
                f"there is no congestion control '{self.congestion}' on this machine",
                f"one of: {', '.join(CONGESTION_CONTROLS)}",
            )
        if self.rto_min_ms is not None and not 1 <= self.rto_min_ms <= 10_000:
            raise ClearwayError(f"a minimum timeout of {self.rto_min_ms} ms is out of range", "1 to 10000")
        if not 0 <= self.latency_us <= 1_000_000:
            raise ClearwayError(f"a latency of {self.latency_us} µs is out of range", "0 to 1000000")
        if not 1 <= self.switches <= self.hosts:
            raise ClearwayError(f"{self.hosts} hosts cannot be on {self.switches} switches", f"1 to {self.hosts}")
        if self.host_cpus is not None and not 1 <= self.host_cpus <= MOST_CPUS:
            raise ClearwayError(f"a host cannot have {self.host_cpus} cores", f"1 to {MOST_CPUS}")
        if self.host_cpus is not None and not self.slurm:
            raise ClearwayError("--host-cpus needs a testbed with Slurm", "--slurm --host-cpus N")
        for fault in self.faults:
            if not 1 <= fault.node <= self.hosts:
                raise ClearwayError(
                    f"--fault names node{fault.node}, which this testbed does not have", f"node1 to node{self.hosts}"
                )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Shape:
        """From what `dataclasses.asdict` made of one; what only another version knows is left out."""
        known = {field.name for field in dataclasses.fields(cls)}
        values = {name: value for name, value in record.items() if name in known}
        return cls(**{**values, "faults": tuple(Fault(**fault) for fault in record.get("faults", ()))})
