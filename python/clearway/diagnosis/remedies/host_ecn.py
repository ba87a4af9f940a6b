"""Congestion marks instead of losses, from switches that can set them."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.packet_loss import queues_filled
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"host-congestion-control"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """Only where queues were seen to fill. No gain is promised: the switch must set the marks, and is not recorded."""
    told = {host.facts.get("tcp.ecn") for host in case.tables.hosts}
    if not queues_filled(case) or not case.tables.hosts or not told <= {"0", "2"}:
        return None  # asked for already, or not recorded
    return Offer(
        what="turn on ECN (congestion marks)",
        why="a switch that marks packets when its buffer fills up slows senders down before it must drop",
        gain=None,
        command=host_faults.MARKS.command,
        needs_root=True,
    )
