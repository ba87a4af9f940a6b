"""The cores cut messages into packets, which the card could do.

At gigabit speed that costs a good part of a core, which the job then lacks.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis.host_faults import Remedy


def find(state: State) -> Iterator[Fault]:
    for card in state.cards:
        off = state.text(f"link.{card}.offloads_off")
        if off:
            yield fault(
                __name__,
                __doc__,
                f"Offloads of {card} are off, the cores do their work: {off}",
                (shown(state, f"link.{card}.offloads_off"),),
                remedies=(Remedy("link.offloads", "on", card),),
                serious=False,
            )
