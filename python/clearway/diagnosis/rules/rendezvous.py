"""Collective operations whose blocks are above the size at which the MPI asks the receiver first, and idle links."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED, told
from clearway.diagnosis.facts.eager import EAGER_WORDS, eager_limit_bytes
from clearway.diagnosis.facts.host_cards import mbit
from clearway.diagnosis.facts.least_time import Operation, operations
from clearway.diagnosis.facts.transport import goes_by_tcp, transport
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Messages wait for their receiver's answer, and the links idle"
REMEDIES = ("eager-limit", "flow")
LONGER = 1.2  # than the bytes take: exchanges that stay in step come to 1.0 to 1.1
NAIVE = 2.0  # beyond, it is more than an answer that is waited for: rule naive-collective
MOST_STALLED = 0.1  # of an operation's time: beyond, packets are lost, and rule congestion-loss has it
FASTEST_BYTES_PER_S = 1.25e9  # 10 Gbit/s: above, it is a core that limits TCP, not the link


def examine(case: Case) -> Suspicion | None:
    """Claims what those operations take beyond what their bytes need.

    That includes waits in them, as far as nothing makes the same ranks come late: who gets on first waits for the rest.
    """
    rates = [each.bytes_per_s for each in case.connections if not each.inside_host and each.bytes_per_s]
    if not rates or min(rates) > FASTEST_BYTES_PER_S or not goes_by_tcp(case) or transport(case) not in EAGER_WORDS:
        return None
    if told(case, "alltoall") or told(case, "allgather"):
        return None  # who names an algorithm has named its pattern: that may be what takes long
    rate, limit = min(rates), eager_limit_bytes(case)
    slow = [(each, least_s) for each in operations(case.run, case.books) if (least_s := _least_s(each, rate, limit))]
    if not slow:
        return None
    moving_s, least_s = sum(each.moving_s for each, _ in slow), sum(least for _, least in slow)
    waited_s = sum(each.waited_s for each, _ in slow)
    worst = max(slow, key=lambda pair: pair[0].moving_s - pair[1])[0]
    return Suspicion(
        claims={"transfer_s": moving_s - least_s, "wait_s": waited_s},
        says=(
            f"Blocks above {q.bytes_(limit)} are not sent before the receiver has answered. In {worst.function} ranks "
            f"then easily get out of step: it moves data {moving_s / least_s:.1f} times as long as its bytes need."
        ),
        evidence=(
            Evidence("sent to each rank", q.bytes_(_block_bytes(worst)), f"mean of {q.count(worst.calls)} calls"),
            Evidence("asked first above", q.bytes_(limit), "the MPI's eager limit"),
            Evidence("moving data", f"{moving_s:.2f} rank-seconds", "ledger"),
            Evidence("what the bytes need", f"{least_s:.2f} rank-seconds", f"{mbit(rate)} a link"),
            Evidence("waits in these operations", f"{waited_s:.2f} rank-seconds", "ledger: MPI waiting"),
        ),
        confidence=0.7,
    )


def _least_s(operation: Operation, bytes_per_s: float, limit_bytes: int) -> float | None:
    """What its bytes need, where they are sent in blocks above the limit and take longer, but not by packet loss."""
    least_s = operation.least_s(bytes_per_s)
    if operation.function.removesuffix("_c") not in STEERED or not least_s or _block_bytes(operation) < limit_bytes:
        return None
    undisturbed = operation.stalled_s <= MOST_STALLED * operation.moving_s
    longer = LONGER * least_s <= operation.moving_s < NAIVE * least_s
    return least_s if undisturbed and longer else None


def _block_bytes(operation: Operation) -> float:
    """What a rank sends to one other: an allgather sends the same to each."""
    return operation.bytes if "llgather" in operation.function else operation.bytes / operation.ranks
