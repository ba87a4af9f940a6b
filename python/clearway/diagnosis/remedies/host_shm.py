"""A larger /dev/shm."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
BYTES_PER_RANK = 64 << 20  # more than any MPI here takes: docs/remedies.md


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: a segment that fits is as fast as shared memory is."""
    needs = [(host.ranks * BYTES_PER_RANK, host.facts.get("shm.size_bytes", "")) for host in case.tables.hosts]
    short = [need for need, has in needs if has.isdecimal() and int(has) < need]
    if not short:
        return None
    return Offer(
        what="make /dev/shm larger",
        why="the MPI needs room there for messages within a host",
        gain=1.0,
        command=f"sudo clearway host apply memory.shm={-(-max(short) // 2**20)}Mi",
        needs_root=True,
    )
