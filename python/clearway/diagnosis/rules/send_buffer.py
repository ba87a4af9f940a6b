"""Sends stop at a full socket buffer while the network stands idle."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.full_buffers import evidence, send_limits, share_lost
from clearway.diagnosis.rules import Suspicion

TITLE = "The send buffers of the connections are too small"
REMEDIES = ("mpi-buffers", "socket-buffers")


def examine(case: Case) -> Suspicion | None:
    limits = [limit for limit in send_limits(case.tables, case.connections) if limit.ceiling is None]
    if not limits:
        return None
    share = share_lost(case.tables, limits)
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            "Connections could have had more data in flight than their send buffers hold. Each time a buffer was full, "
            "the network was idle until an acknowledgement came back."
        ),
        evidence=evidence(limits, receive=False),
        confidence=0.9 if all(limit.pipe_bytes is not None for limit in limits) else 0.7,
    )
