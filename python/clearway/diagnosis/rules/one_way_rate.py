"""Data reaches one host slower than its card could take it, and all that send to it wait."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.facts.slow_ways import share_lost, slow_way
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Data sent to one host arrives slowly"
REMEDIES = ()


def examine(case: Case) -> Suspicion | None:
    """Claims the share of moving data that a port as fast as the host's card would save."""
    way = slow_way(case)
    if way is None:
        return None
    return Suspicion(
        claims={"transfer_s": share_lost(case, way) * case.losses.transfer_s},
        says=(
            f"Data reaches {way.host} at {mbit(way.bytes_per_s)} or less, though {mbit(way.usual_bytes_per_s)} should "
            f"be possible: it waits in a queue in front of that host, while the paths between the others are clear. "
            f"The host's own card shows nothing of this. Look at the switch: the speed and duplex of its port, a rate "
            f"limit or shaper (also of a cloud) for traffic to this host, an uplink that others use."
        ),
        evidence=(
            Evidence(f"carried to {way.host}", mbit(way.bytes_per_s), "bytes and busy time, tcp_info: at most"),
            Evidence("its card, or the rate to others", mbit(way.usual_bytes_per_s), "ethtool, tc, tcp_info"),
            Evidence(f"packets to {way.host} wait", q.seconds(way.queue_s), "tcpi_rtt less tcpi_min_rtt, median"),
            Evidence("between the others", q.seconds(way.usual_queue_s), "likewise"),
        ),
        confidence=0.88,
    )
