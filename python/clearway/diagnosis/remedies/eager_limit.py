"""Messages sent at once, where the MPI now asks the receiver first: a rendezvous costs a round trip each."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import collective_share
from clearway.diagnosis.facts.eager import EAGER_WORDS, asked_first_bytes, eager_change, eager_limit_bytes
from clearway.diagnosis.facts.transport import goes_by_tcp, transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"flow"})  # either keeps ranks in step


def offer(case: Case, finding: Finding) -> Offer | None:
    """Offered where much of what is sent is above the limit.

    gain: the share of collective operations in the stalls, which it ended on the testbed (docs/remedies-benchmark.md):
    a rendezvous holds some ranks up until others get ahead, and send to the same port. What the rendezvous itself costs
    it gives back whole. For anything else nothing is promised.
    """
    way = transport(case)
    if way not in EAGER_WORDS or not goes_by_tcp(case):
        return None
    if finding.rule == "congestion-loss" and (case.tables.flow or collective_share(case) < 0.5):
        return None
    gains = {"congestion-loss": collective_share(case), "rendezvous": 1.0}
    bytes_ = asked_first_bytes(case)
    if bytes_ is None:
        return None
    return Offer(
        what=f"send messages of up to {q.bytes_(bytes_)} at once (a higher eager limit)",  # the limit has headers, too
        why=f"messages above {q.bytes_(eager_limit_bytes(case))} now wait for the receiver's answer first (rendezvous)",
        gain=gains.get(finding.rule),
        change=eager_change(way, bytes_),
    )
