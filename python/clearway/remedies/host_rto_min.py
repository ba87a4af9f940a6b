"""The least time that a lost packet stalls a connection, shorter than the kernel's 200 ms."""

from __future__ import annotations

from clearway.diagnosis.cards import busiest_card
from clearway.diagnosis.case import Case
from clearway.finding import Finding
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
THEN_S = 0.05  # what `clearway host apply` sets where nothing is said
BACK_OFF = 2  # a timeout is the least one, or more where the connection was slow or timed out before


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 - timeouts x 50 ms x back-off / time stalled."""
    timeouts = sum(socket.timeouts for socket in case.page.sockets)
    stalled_s = sum(socket.stall_s for socket in case.page.sockets)
    if case.page.flow or stalled_s <= 0:
        return None  # flow has shortened it on each connection
    gain = 1 - timeouts * THEN_S * BACK_OFF / stalled_s
    if gain <= 0:
        return None
    card = busiest_card(case)
    return Offer(
        what="shorten TCP's least timeout on the cluster's network",
        why=f"{timeouts:,} timeouts took {stalled_s / max(timeouts, 1):.2f} s each; 50 ms are ample within a cluster",
        gain=gain,
        command="sudo clearway host apply tcp.rto_min=50ms" + (f" --device {card}" if card else ""),
        needs_root=True,
    )
