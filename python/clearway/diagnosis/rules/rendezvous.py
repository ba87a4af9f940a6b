"""Collective operations whose blocks are above the size at which the MPI asks the receiver first, and idle links."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.answers_awaited import awaiting_answers, block_bytes, slowest_link
from clearway.diagnosis.facts.eager import eager_limit_bytes
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.facts.slow_links import slow_links
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Messages wait for the receiver's answer while links are idle"
REMEDIES = ("eager-limit", "flow")


def examine(case: Case) -> Suspicion | None:
    """Claims what those operations take beyond what their bytes need, on sound links.

    That includes waits in them, as far as nothing makes the same ranks come late: who gets on first waits for the rest.
    """
    slow, rate = awaiting_answers(case), slowest_link(case)
    if not slow or rate is None:
        return None
    limit = eager_limit_bytes(case)
    moving_s, least_s = sum(each.moving_s for each, _ in slow), sum(least for _, least in slow)
    waited_s = sum(each.waited_s for each, _ in slow)
    worst = max(slow, key=lambda pair: pair[0].moving_s - pair[1])[0]
    sound = _part_on_sound_links(case)
    return Suspicion(
        claims={"transfer_s": sound * (moving_s - least_s), "wait_s": sound * waited_s},
        says=(
            f"Messages above {q.bytes_(limit)} are not sent until the receiver has answered (rendezvous). In "
            f"{worst.function} ranks then easily get out of step: it moves data for {moving_s / least_s:.1f} times as "
            f"long as its bytes need."
        ),
        evidence=(
            Evidence("sent to each rank", q.bytes_(block_bytes(worst)), f"mean of {q.count(worst.calls)} calls"),
            Evidence("rendezvous above", q.bytes_(limit), "the MPI's eager limit"),
            Evidence("moving data", f"{moving_s:.2f} rank-seconds", "ledger"),
            Evidence("what the bytes need", f"{least_s:.2f} rank-seconds", f"{mbit(rate)} a link"),
            Evidence("waits in these operations", f"{waited_s:.2f} rank-seconds", "ledger: MPI waiting"),
        ),
        confidence=0.7,
    )


def _part_on_sound_links(case: Case) -> float:
    """Of the time: what would be left if no link were slower than the others (rule link-speed claims the rest)."""
    slow = slow_links(case.tables, case.connections)
    return min((one.bytes_per_s / one.sound_bytes_per_s for one in slow), default=1.0)
