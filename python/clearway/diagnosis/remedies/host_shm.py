"""A larger /dev/shm."""

from __future__ import annotations

from clearway.base.whole import is_whole
from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: a segment that fits is as fast as shared memory is."""
    needs = [(host.ranks, host.facts.get("shm.size_bytes", "")) for host in case.tables.hosts]
    short = [ranks for ranks, has in needs if is_whole(has) and int(has) < ranks * host_faults.SHM_A_RANK_BYTES]
    if not short:
        return None
    return Offer(
        what="make /dev/shm larger",
        why="the MPI needs room there for messages within a host",
        gain=1.0,
        command=host_faults.room_for(max(short)).command,
        needs_root=True,
    )
