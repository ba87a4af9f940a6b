"""TCP's congestion control is one made for long ways.

BBR, Vegas and their like steer by round-trip times, which on a cluster are those of busy hosts and not of the network.
In an all-to-all across a switch with small buffers bbr lost more than cubic and reno.
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State
from clearway.diagnosis import host_faults


def find(state: State) -> Iterator[Fault]:
    name = state.text("tcp.congestion_control")
    if name is not None and not host_faults.is_made_for_clusters(name):
        can = "cubic" in (state.text("tcp.available") or "").split()
        yield fault(
            __name__,
            __doc__,
            f"TCP's congestion control is {name}",
            (shown(state, "tcp.congestion_control"),),
            remedies=(host_faults.CUBIC,) if can else (),
            advice="" if can else "modprobe tcp_cubic",
            serious=False,
        )
