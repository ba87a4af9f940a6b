"""The host's name means the slower of its network cards.

An MPI that is given host names sends its messages there, and the fast network stays idle (Duke 2004: the names of the
dedicated cards belong into the host file).
"""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.faults.model import Fault, fault, shown
from clearway.cluster.hosts.state import State


def find(state: State) -> Iterator[Fault]:
    named = state.text("network.name_card") or state.text("network.default_card")
    if named is None or named not in state.cards:
        return
    slow = state.number(f"link.{named}.speed_mbit")
    speeds = {card: state.number(f"link.{card}.speed_mbit") or 0 for card in state.cards}
    best = max(speeds, key=lambda card: speeds[card])
    if slow is not None and speeds[best] > slow:
        network = state.text(f"link.{best}.address")
        yield fault(
            __name__,
            __doc__,
            f"The host's name resolves to {named}, but {best} is faster",
            tuple(shown(state, f"link.{card}.speed_mbit") for card in (named, best)),
            advice=f"use the hosts' addresses or names on the network of {best} ({network}) in the host file, or tell "
            f"the MPI: --mca btl_tcp_if_include {best} (Open MPI), UCX_NET_DEVICES={best}, FI_TCP_IFACE={best}",
        )
