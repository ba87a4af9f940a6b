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

    block_bytes: int  # from each rank to each other one
    calls_ns: tuple[int, ...]  # from a barrier until the slowest rank has returned
    mean_bytes_per_s: float | None  # all bytes ÷ all time
    least_bytes_per_s: float | None  # of the slowest call
    most_bytes_per_s: float | None  # of the fastest call
    median_bytes_per_s: float | None  # of the calls
    share_of_limit: float | None  # mean ÷ limit_bytes_per_s
    retransmits: int  # TCP segments sent again, on all hosts, during these calls
    timeouts: int  # TCP retransmission timeouts, likewise; each stalls a connection for 200 ms or more
    fault: str  # why it could not be measured; empty where it could


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
    ranks_per_host: int  # on the host that has most
    mpi: str  # what the library says of itself
    mpi_library: str
    testbed: str | None  # its shape, in words; None: real hosts
    interleaved: bool  # the algorithms took turns call by call
    measured_at: str  # ISO 8601
    link_bits_per_s: int | None  # of a host's network card, where it was told
    limit_bytes_per_s: float | None  # throughput per rank that such a link allows (T_max)
    curves: tuple[Curve, ...]
    settings: dict[str, str] = field(default_factory=dict)  # that decide how the MPI makes collectives
