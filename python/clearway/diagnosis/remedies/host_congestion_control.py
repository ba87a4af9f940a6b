"""CUBIC, where another congestion control was chosen that is made for other networks."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"host-ecn"})
MADE_FOR_CLUSTERS = {"cubic", "reno", "dctcp"}


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: it depends on the buffers of the switch."""
    used = {socket.congestion_control for socket in case.tables.sockets} - {""}
    strange = used - MADE_FOR_CLUSTERS
    if not strange:
        return None
    return Offer(
        what="use cubic as TCP's congestion control",
        why=f"{', '.join(sorted(strange))} is not made for the short ways of a cluster",
        gain=None,
        command="sudo clearway host apply tcp.congestion_control=cubic",
        needs_root=True,
    )
