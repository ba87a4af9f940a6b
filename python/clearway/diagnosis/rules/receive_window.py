"""Senders stop at the receiver's window while the network stands idle."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.full_buffers import evidence, receive_limits, share_lost
from clearway.diagnosis.rules import Suspicion

TITLE = "The receive buffers of the connections are too small"
REMEDIES = ("mpi-buffers", "socket-buffers")


def examine(case: Case) -> Suspicion | None:
    limits = [limit for limit in receive_limits(case.tables, case.connections) if limit.ceiling is None]
    if not limits:
        return None
    share = share_lost(case.tables, limits)
    return Suspicion(
        claims={"transfer_s": share * case.losses.transfer_s},
        says=(
            "Senders had to stop because the receiver's window was full, though the network could have carried more. "
            "The window cannot grow beyond the receive buffer."
        ),
        evidence=evidence(limits, receive=True),
        confidence=0.9 if all(limit.pipe_bytes is not None for limit in limits) else 0.6,
    )
