"""Which card carries the messages, as each MPI is told of it. Nothing is said where there is no choice.

Host names do not decide it: today's MPIs ask their peers for all their addresses and choose among them.
"""

from __future__ import annotations

from clearway.cluster.model import Card
from clearway.cluster.placement import Placement

UNTOLD = "the network card for messages is not set: the cluster gives neither its device nor its subnet"


def untold(placement: Placement) -> tuple[str, ...]:
    """What to say where the MPI must be told and cannot be."""
    subnet = placement.network.subnet if placement.network else None
    return (UNTOLD,) if placement.choice and not devices(placement) and subnet is None else ()


def devices(placement: Placement) -> tuple[str, ...]:
    """The cards' names, each once; none where there is no choice or they are not known."""
    if not placement.choice:
        return ()
    found = [card.device for host in placement.hosts if (card := placement.card(host)) and card.device]
    return tuple(dict.fromkeys(found))


def open_mpi_parameters(placement: Placement) -> tuple[tuple[str, str], ...]:
    """By subnet where it is known, for cards may have other names on other hosts."""
    subnet = placement.network.subnet if placement.network and placement.choice else None
    told = subnet or ",".join(devices(placement))
    return (("btl_tcp_if_include", told),) if told else ()


def ucx_variables(placement: Placement) -> tuple[tuple[str, str], ...]:
    """A card that can do RDMA is named as such first: by its other name alone it would be used by TCP."""
    cards = [card for host in placement.hosts if (card := placement.card(host))]
    if not placement.choice or any(_is_rdma_of_unknown_name(card) for card in cards):
        return ()
    told = [name for card in cards for name in (card.rdma and f"{card.rdma}:1", card.device) if name]
    return (("UCX_NET_DEVICES", ",".join(dict.fromkeys(told))),) if told else ()


def libfabric_variables(placement: Placement) -> tuple[tuple[str, str], ...]:
    """libfabric's provider for TCP takes one name; other providers do not read it."""
    told = devices(placement)
    return (("FI_TCP_IFACE", told[0]),) if len(told) == 1 else ()


def _is_rdma_of_unknown_name(card: Card) -> bool:
    return card.rdma is None and (card.device or "").startswith("ib")
