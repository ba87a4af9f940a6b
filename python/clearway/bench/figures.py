"""From the times of calls to throughput."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.bench.sweep import Curve, Point

BITS_A_BYTE = 8


@dataclass(frozen=True, slots=True)
class Job:
    """What clearway-bench says before its points."""

    operation: str
    ranks: int
    hosts: int
    ranks_per_host: int
    mpi: str
    mpi_library: str
    interleaved: bool


@dataclass(frozen=True, slots=True)
class RawPoint:
    """A point as clearway-bench prints it."""

    candidate: str
    block_bytes: int
    calls_ns: tuple[int, ...]
    retransmits: int
    timeouts: int
    fault: str


def limit_bytes_per_s(job: Job, link_bits_per_s: int, payload_share: float) -> float | None:
    """The throughput per rank at which the fullest host's link is busy all the time; None where no link is used.

    Of alltoall each of a host's P ranks exchanges blocks with each rank elsewhere; of allgather the host needs each
    block from elsewhere once.
    """
    elsewhere = job.ranks - job.ranks_per_host
    if elsewhere <= 0 or job.ranks_per_host <= 0:  # the latter no job says, but a file may
        return None
    crossing = elsewhere * (job.ranks_per_host if job.operation.startswith("alltoall") else 1)
    return link_bits_per_s / BITS_A_BYTE * payload_share * (job.ranks - 1) / crossing


def curves_of(job: Job, raw: Sequence[RawPoint], limit: float | None) -> tuple[Curve, ...]:
    """The points by algorithm, in order of their first appearance."""
    names = dict.fromkeys(point.candidate for point in raw)
    return tuple(
        Curve(name, tuple(point_of(job, point, limit) for point in raw if point.candidate == name)) for name in names
    )


def point_of(job: Job, raw: RawPoint, limit: float | None) -> Point:
    moved = (job.ranks - 1) * raw.block_bytes
    rates = [moved / (call * 1e-9) for call in raw.calls_ns if call > 0]
    mean = moved * len(raw.calls_ns) / (sum(raw.calls_ns) * 1e-9) if rates else None
    return Point(
        raw.block_bytes,
        raw.calls_ns,
        mean,
        min(rates, default=None),
        max(rates, default=None),
        statistics.median(rates) if rates else None,
        mean / limit if mean is not None and limit else None,
        raw.retransmits,
        raw.timeouts,
        raw.fault,
    )
