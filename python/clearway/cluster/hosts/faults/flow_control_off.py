"""The card does not heed pause frames, so a switch whose buffer is full must drop packets.

With flow control at both ends of each link, GROMACS of Kutzner et al. (2007) ran 8 to 11 times as fast on 16
processors as on one, and without it about three times. As delivered, it was off in all switches that had it.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults


def find(state: State) -> Iterator[Fault]:
    for card in state.cards:
        ways = [f"link.{card}.pause_{way}" for way in ("rx", "tx")]
        off = [name for name in ways if host_faults.is_off(state.text(name))]
        if off:
            yield fault(
                __name__,
                __doc__,
                f"Flow control of {card} is off",
                tuple(shown(state, name) for name in off),
                remedies=(host_faults.flow_control(card),),
                advice="it must be on at the switch's port as well",
                serious=False,
            )
