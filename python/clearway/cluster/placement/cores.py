"""Which cores of a host each of its ranks gets."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.model import Core, Host
from clearway.cluster.placement.dealing import level
from clearway.cluster.placement.model import Request

Cpus = tuple[int, ...]


def assign_cores(host: Host, ranks: int, request: Request) -> list[Cpus]:
    """The hardware threads of each rank, for as many ranks as the host has room for.

    A rank's cores are neighbours, and on one NUMA node wherever that is possible; ranks are spread evenly over the
    nodes, so that each has its share of the memory's bandwidth.
    """
    if not host.cores:
        return [()] * ranks
    shares_cores = ranks * request.threads > len(host.cores)
    nodes = [_units(cores, shares_cores, request.threads) for cores in host.numa_nodes.values()]
    counts = level([len(units) // request.threads for units in nodes], ranks)
    if sum(counts) < ranks:  # some rank must lie across two nodes
        nodes, counts = [[unit for units in nodes for unit in units]], [ranks]
    return [
        _together(units[turn * request.threads : (turn + 1) * request.threads])
        for units, count in zip(nodes, counts, strict=True)
        for turn in range(count)
    ]


def _units(cores: Sequence[Core], shares_cores: bool, threads: int) -> list[Cpus]:
    """What a thread of a rank gets: a whole core; or, where cores are shared, a hardware thread.

    Ranks of one thread take all first hardware threads before the second ones; larger ones take whole cores.
    """
    if not shares_cores:
        return [core.cpus for core in cores]
    by_core = [(turn, cpu) for core in cores for turn, cpu in enumerate(core.cpus)]
    return [(cpu,) for _, cpu in (sorted(by_core, key=lambda pair: pair[0]) if threads == 1 else by_core)]


def _together(units: Sequence[Cpus]) -> Cpus:
    return tuple(sorted(cpu for unit in units for cpu in unit))
