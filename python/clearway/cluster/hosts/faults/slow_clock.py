"""The cores may be left at a low frequency.

A rank that waits for messages looks idle to the governor, and computes slowly when they have come.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State

SAVING = {"powersave", "conservative", "ondemand"}


def find(state: State) -> Iterator[Fault]:
    governors = set((state.text("processor.governor") or "").split())
    if governors & SAVING:
        yield fault(
            __name__,
            __doc__,
            f"The CPU frequency governor is {', '.join(sorted(governors))}",
            (shown(state, "processor.governor"),),
            advice="cpupower frequency-set -g performance",
            serious=False,
        )
