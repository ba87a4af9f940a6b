"""The shape of a testbed: hosts, links, switches."""

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
    """The hosts of a testbed, their links, and the switch between them.

    With `buffer_bytes=DEEP` buffers never overflow. Rates are in bit/s.
    """

    hosts: int = 4
    rate_bps: int = 20_000_000  # of each host's card and its switch port, in bit/s
    buffer_bytes: int | None = 64_000  # of each switch port; DEEP: lossless
    per_host: int = 1  # ranks per host, unless a run says otherwise
    congestion: str = "cubic"
    rto_min_ms: int | None = None  # None: the kernel's own, 200 ms
    switches: int = 1  # more than one: connected through one more switch
    uplink_bps: int | None = None  # of each uplink; None: as fast as one host's link
    spread: bool = False  # hosts are assigned to the switches in turn, not in blocks
    second_card_bps: int | None = None  # rate of a second card eth1, on a separate network
    latency_us: int = 0  # latency between hosts, in addition to the time on the links
    slurm: bool = False  # Slurm: a controller on the head, a daemon on each host, ordinary users
    host_cpus: int | None = None  # cores of each host, for Slurm; None: as many as this machine has
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
        """From the output of `dataclasses.asdict`; unknown fields of other versions are ignored."""
        known = {field.name for field in dataclasses.fields(cls)}
        values = {name: value for name, value in record.items() if name in known}
        return cls(**{**values, "faults": tuple(Fault(**fault) for fault in record.get("faults", ()))})
