"""Cores as lists, for launchers that have one list for all hosts."""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.cluster.placement import Placement
from clearway.cluster.placement.cores import Cpus
from clearway.cluster.placement.reasons import UNBOUND
from clearway.cluster.topology import core_by_cpu

DIFFERENT = (
    "the ranks are not bound to cores: this launcher takes one list for all hosts, and theirs differ; with the same "
    "number of ranks on each host (--per-host) one list fits all"
)


def common_map(placement: Placement) -> tuple[Cpus, ...] | None:
    """The cores of each host's first rank, second rank, and so on; None where hosts differ or cores are not known."""
    maps = [tuple(seat.cpus for seat in seats) for seats in placement.by_host.values()]
    longest = max(maps, key=len)
    alike = all(each == longest[: len(each)] for each in maps)
    return longest if alike and placement.binds else None


def why_none(placement: Placement) -> tuple[str, ...]:
    """What to say where there is no common map."""
    return (DIFFERENT,) if placement.binds else (UNBOUND,)


def first_threads(cores: tuple[Cpus, ...]) -> str:
    """0,4,8: a hardware thread for each rank."""
    return ",".join(str(cpus[0]) for cpus in cores)


def masks(cores: tuple[Cpus, ...]) -> str:
    """0x3,0xc: all hardware threads of each rank."""
    return ",".join(hex(sum(1 << cpu for cpu in cpus)) for cpus in cores)


def one_core_each(placement: Placement) -> bool:
    """Whether no rank has more than one core."""
    for host in placement.hosts:
        core_of = core_by_cpu(host.cores)
        if any(len({core_of[cpu] for cpu in seat.cpus}) > 1 for seat in placement.by_host[host.name]):
            return False
    return True


def require_one_core_each(placement: Placement, launcher: str) -> None:
    """For launchers that cannot say more. Raises ClearwayError."""
    if placement.binds and not one_core_each(placement):
        raise ClearwayError(f"{launcher} can bind each rank to one core only", "leave out --threads")
