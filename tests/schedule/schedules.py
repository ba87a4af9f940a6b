"""Schedules for tests, from the installed native program."""

from __future__ import annotations

from clearway.schedule.model import Request, Schedule
from clearway.schedule.native import make_schedule

NAMES = (
    "direct",
    "lam",
    "ordered",
    "node_ordered",
    "pairwise",
    "port_pairs",
    "bruck",
    "ring",
    "recursive_doubling",
    "hierarchical",
    "binomial",
    "chain",
    "linear",
    "scatter_ring",
    "rabenseifner",
    "dissemination",
)


def schedule(
    algorithm: str, *sizes: int, operation: str = "alltoall", block_bytes: int = 1024, check: bool = False
) -> Schedule:
    """`sizes`: ranks on each host."""
    hosts = tuple(host for host, size in enumerate(sizes) for _ in range(size))
    return make_schedule(Request(algorithm, operation, hosts, block_bytes, False, "none"), sends=True, check=check)
