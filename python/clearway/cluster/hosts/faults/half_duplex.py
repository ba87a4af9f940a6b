"""A link carries data in one direction at a time.

So it is where one end has its duplex nailed down and the other negotiates: what both send at once collides and is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults


def find(state: State) -> Iterator[Fault]:
    for card in state.cards:
        if host_faults.is_half(state.text(f"link.{card}.duplex")):
            yield fault(
                __name__,
                __doc__,
                f"{card} runs half duplex",
                (shown(state, f"link.{card}.duplex"), shown(state, f"link.{card}.negotiation")),
                remedies=(host_faults.negotiation(card),),
                advice="let the switch's port negotiate as well",
            )
