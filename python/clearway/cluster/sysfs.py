"""A host's cores from /sys, where hwloc is not installed."""

from __future__ import annotations

from pathlib import Path

from clearway.base.ranges import numbers
from clearway.cluster.model import Core

SYSTEM = Path("/sys/devices/system")


def this_machine(system: Path = SYSTEM) -> tuple[Core, ...]:
    """Empty where the kernel does not tell."""
    numa = _numa_of_cpus(system)
    found: dict[tuple[int, ...], Core] = {}
    for cpu in _list(system / "cpu" / "online"):
        topology = system / "cpu" / f"cpu{cpu}" / "topology"
        siblings = tuple(_list(topology / "thread_siblings_list")) or (cpu,)
        socket = _list(topology / "physical_package_id")
        found.setdefault(siblings, Core(siblings, numa.get(cpu, 0), socket[0] if socket else 0))
    return tuple(sorted(found.values(), key=lambda core: (core.numa, core.socket, core.cpus)))


def _numa_of_cpus(system: Path) -> dict[int, int]:
    nodes = {int(path.name[4:]): _list(path / "cpulist") for path in (system / "node").glob("node[0-9]*")}
    return {cpu: node for node, cpus in nodes.items() for cpu in cpus}


def _list(path: Path) -> list[int]:
    """The numbers in a file of the kernel's; none where it is not there, or says -1."""
    try:
        text = path.read_text().strip()
    except OSError:
        return []
    return numbers(text) if text and not text.startswith("-") else []
