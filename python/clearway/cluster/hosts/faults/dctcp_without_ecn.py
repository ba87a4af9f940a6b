"""DCTCP steers by marks that switches set on packets, and this host does not ask for marks.

Without them it sends as if the network were never full, and loses packets.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults


def find(state: State) -> Iterator[Fault]:
    if state.text("tcp.congestion_control") == "dctcp" and state.number("tcp.ecn") == 0:
        yield fault(
            __name__,
            __doc__,
            "DCTCP is in use, but ECN is off",
            (shown(state, "tcp.congestion_control"), shown(state, "tcp.ecn")),
            remedies=(host_faults.MARKS,),
        )
