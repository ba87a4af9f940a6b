"""What was measured, and what follows from it: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass, field

SCHEMA = "clearway-bench-1"
OPERATIONS = ("alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv")
OWN = "own"  # the MPI's own algorithm
FLOW = "flow"  # whatever the flow library chooses
MD_RANGE_BYTES = (1_500, 175_000)  # message sizes of parallel molecular dynamics (Kutzner et al. 2007)


@dataclass(frozen=True, slots=True)
class Point:
    """An algorithm at one message size. Throughput per rank is (ranks - 1) × block_bytes ÷ time of a call."""

    block_bytes: int  # bytes from each rank to each other rank
    calls_ns: tuple[int, ...]  # time of each call, from a barrier until the slowest rank has returned
    mean_bytes_per_s: float | None  # all bytes ÷ all time
    least_bytes_per_s: float | None  # throughput of the slowest call
    most_bytes_per_s: float | None  # throughput of the fastest call
    median_bytes_per_s: float | None  # median throughput of the calls
    share_of_limit: float | None  # mean ÷ limit_bytes_per_s
    retransmits: int  # TCP segments sent again, on all hosts, during these calls
    timeouts: int  # TCP retransmission timeouts on all hosts; each stalls a connection for 200 ms or more
    fault: str  # why it could not be measured; empty if it was


@dataclass(frozen=True, slots=True)
class Curve:
    """One algorithm at all sizes."""

    candidate: str  # "own": the MPI's; "flow": as the flow library chooses; else one of the flow library's
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One operation on one set of ranks."""

    schema: str
    operation: str
    ranks: int
    hosts: int
    ranks_per_host: int  # most ranks on one host
    mpi: str  # version string of the library
    mpi_library: str
    testbed: str | None  # its shape, in words; None: real hosts
    interleaved: bool  # the algorithms took turns call by call
    measured_at: str  # ISO 8601
    link_bits_per_s: int | None  # speed of a host's network card, if known
    limit_bytes_per_s: float | None  # throughput per rank that such a link allows (T_max)
    curves: tuple[Curve, ...]
    settings: dict[str, str] = field(default_factory=dict)  # settings that affect the MPI's collectives
