"""TCP finds out by itself which size of packet passes (RFC 4821)."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: it takes a few timeouts on each connection before smaller packets are tried."""
    if not any(host.facts.get("tcp.mtu_probing") == "0" for host in case.tables.hosts):
        return None  # on already, or not recorded
    return Offer(
        what="let TCP try smaller packets where large ones vanish, on every host",
        why="it then finds the size that passes; the real cure is the same MTU everywhere",
        gain=None,
        command=host_faults.PROBING.command,
        needs_root=True,
    )
