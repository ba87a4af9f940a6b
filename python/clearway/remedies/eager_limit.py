"""Messages sent at once, where the MPI now asks the receiver first: a rendezvous costs a round trip each."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.eager import EAGER_WORDS, asked_first_bytes, eager_change, eager_limit_bytes
from clearway.diagnosis.transport import goes_by_tcp, transport
from clearway.finding import Finding
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """Offered where the messages that take most time are above the limit. What it gives depends on the exchange
    (docs/remedies.md), so nothing is promised."""
    way = transport(case)
    if way not in EAGER_WORDS or not goes_by_tcp(case):
        return None
    bytes_ = asked_first_bytes(case)
    if bytes_ is None:
        return None
    return Offer(
        what=f"send messages up to {q.bytes_(bytes_)} without asking first",
        why=f"above {q.bytes_(eager_limit_bytes(case))} a message waits for its receiver's answer before it is sent",
        gain=None,
        change=eager_change(way, bytes_),
    )
