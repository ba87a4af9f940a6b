"""The kernel moves pages after the threads that use them, and unmaps pages to see who does.

Ranks that are pinned to cores have their memory near already: they get page faults for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis.host_faults import Remedy


def find(state: State) -> Iterator[Fault]:
    if state.number("memory.numa_balancing") and (state.number("processor.numa_nodes") or 1) > 1:
        yield fault(
            __name__,
            __doc__,
            "NUMA balancing is on",
            (shown(state, "memory.numa_balancing"), shown(state, "processor.numa_nodes")),
            remedies=(Remedy("memory.numa_balancing", "off"),),
            serious=False,
        )
