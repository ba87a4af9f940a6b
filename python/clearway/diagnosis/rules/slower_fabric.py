"""The ranks go by TCP though the hosts have a faster fabric."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bytes_sent import sent_between_hosts
from clearway.diagnosis.facts.card_loads import Load, loads, share_saved
from clearway.diagnosis.facts.host_cards import BITS, MEGA, mbit
from clearway.diagnosis.facts.latency import lost_by_latency_s
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The ranks use TCP though the hosts have a faster network"
REMEDIES = ("faster-fabric",)
MOST_OF_IT = 0.5  # of what ranks send to other hosts: an MPI on a fabric keeps TCP connections for its own purposes


def examine(case: Case) -> Suspicion | None:
    carrying = loads(case.connections)
    ports = {host.name: fastest_port(host) for host in case.tables.hosts}
    used = {host for load in carrying for host in (load.link.host, *(peer.host for peer in load.peers))}
    moved = sum(load.sent_bytes for load in carrying)
    if (
        not used
        or any(ports.get(host) is None for host in used)
        or moved < MOST_OF_IT * sent_between_hosts(case.tables)
    ):
        return None
    rate = min(port for port in ports.values() if port is not None)
    lost_s = _lost_s(case, carrying, rate)
    if lost_s <= 0:
        return None
    moving_lost_s = min(lost_s, case.losses.transfer_s)
    slowest = min((load.link.bytes_per_s for load in carrying if load.link.bytes_per_s), default=None)
    return Suspicion(
        claims={"transfer_s": moving_lost_s, "wait_s": lost_s - moving_lost_s},
        says=(
            f"All {len(used)} hosts have an active RDMA port with {rate * BITS / MEGA:,.0f} Mbit/s, which moves data "
            f"without the kernel, but the ranks exchange theirs over TCP."
        ),
        evidence=(
            Evidence("sent by TCP between hosts", q.bytes_(moved), "tcp_info of the connections"),
            Evidence("fabric", f"{rate * BITS / MEGA:,.0f} Mbit/s", "/sys/class/infiniband, slowest host"),
            *([] if slowest is None else [Evidence("cards in use", mbit(slowest), "host facts, slowest")]),
        ),
        confidence=0.85,
    )


def fastest_port(host: Host) -> float | None:
    """Bytes a second of the fastest active port, where there is one."""
    said = (value for name, value in host.facts.items() if name.startswith("rdma.") and name.endswith(".mbit"))
    return max((MEGA / BITS * int(value) for value in said if is_whole(value)), default=None)


def _lost_s(case: Case, carrying: tuple[Load, ...], rate: float) -> float:
    """Rank-seconds: what the wire would take less, and the latency of messages, which all but vanishes."""
    wire_s = share_saved(case.tables, dict.fromkeys(carrying, rate)) * case.losses.transfer_s
    return wire_s + lost_by_latency_s(case)
