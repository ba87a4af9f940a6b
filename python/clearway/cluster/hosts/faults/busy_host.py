"""Other programs, or other virtual machines, use the cores.

A rank that waits for its core holds up all the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.base.quantities import percent
from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State

BUSY_SHARE, STOLEN_SHARE = 0.1, 0.02


def find(state: State) -> Iterator[Fault]:
    busy, stolen = state.number("processor.busy_share") or 0, state.number("processor.steal_share") or 0
    if busy > BUSY_SHARE and state.text("processor.busy_processes"):
        yield fault(
            __name__,
            __doc__,
            "Other programs use the cores",
            (shown(state, "processor.busy_share", percent(busy)), shown(state, "processor.busy_processes")),
            advice="end them, or leave their cores out of the job",
        )
    if stolen > STOLEN_SHARE:
        yield fault(
            __name__,
            __doc__,
            "The hypervisor gives core time to other guests (steal)",
            (shown(state, "processor.steal_share", percent(stolen)),),
            advice="ask for dedicated cores",
        )
