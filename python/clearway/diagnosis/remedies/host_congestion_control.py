"""CUBIC, where another congestion control was chosen that is made for other networks."""

from __future__ import annotations

from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"host-ecn"})


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: it depends on the buffers of the switch."""
    used = {socket.congestion_control for socket in case.tables.sockets} - {""}
    strange = [each for each in used if not host_faults.is_made_for_clusters(each)]
    if not strange:
        return None
    return Offer(
        what="use cubic as TCP's congestion control",
        why=f"{', '.join(sorted(strange))} is not made for the short round trips of a cluster",
        gain=None,
        command=host_faults.CUBIC.command,
        needs_root=True,
    )
