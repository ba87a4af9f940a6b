"""The least time that a lost packet stalls a connection, shorter than the kernel's 200 ms."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import collective_share
from clearway.diagnosis.facts.message_card import busiest_card
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
THEN_S = 0.1  # a timeout took, with 50 ms as the least, on the testbed: most have backed off once
MORE_OFTEN = 1.4  # timeouts there, for each with 200 ms: connections come back sooner, and lose again


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1 - 1.4 x timeouts x 0.1 s / time stalled, of the share that stalls have in the finding.

    Only where most stalls are in point-to-point calls. What a collective operation does not lose in stalls it loses in
    getting out of step (docs/remedies-benchmark.md): there nothing is promised.
    """
    timeouts = sum(socket.timeouts for socket in case.tables.sockets)
    stalled_s = sum(socket.stall_s for socket in case.tables.sockets)
    if case.tables.flow or stalled_s <= 0 or timeouts == 0:
        return None  # flow has shortened it on each connection; or probes ended all silences, not the timer
    shorter = 1 - MORE_OFTEN * timeouts * THEN_S / stalled_s
    if shorter <= 0:
        return None
    share = min(case.losses.stall_s / max(finding.cost_s * case.ranks, 1e-9), 1.0)
    return Offer(
        what="lower TCP's minimum timeout on the cluster's network",
        why=f"connections were stalled for {stalled_s / timeouts:.2f} s per timeout; 50 ms is ample within a cluster",
        gain=shorter * share if collective_share(case) < 0.5 else None,
        command=host_faults.shorter_timeout(busiest_card(case)).command,
        needs_root=True,
    )
