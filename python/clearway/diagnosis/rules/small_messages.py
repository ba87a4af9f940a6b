"""The ranks exchange messages so small that the network's round trip decides, not its speed."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.far_hosts import far_host
from clearway.diagnosis.facts.latency import lost_by_latency_s, small_messages
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Messages are so small that latency dominates"
REMEDIES = ("ranks-and-threads", "pme-ranks", "fewer-ranks", "faster-fabric")
MOST_OF_IT = 0.5  # of moving data: below, something else is the matter


def examine(case: Case) -> Suspicion | None:
    """Claims what would come back without the latency of an ordinary network, as `clearway what-if --latency` has it at
    best; what a far host adds has a rule of its own.
    """
    far = far_host(case)
    near = [each for each in case.connections if far is None or far.host not in (each.from_host, each.to_host)]
    small = small_messages(case.run, case.books, near)
    moving_s = case.tables.ledger.mpi_transfer_s
    if small is None or moving_s <= 0 or small.calls <= 0 or small.latency_s < MOST_OF_IT * moving_s:
        return None
    lost_s = lost_by_latency_s(case)
    moving_lost_s = min(lost_s, case.losses.transfer_s)
    return Suspicion(
        claims={"transfer_s": moving_lost_s, "wait_s": lost_s - moving_lost_s},
        says=(
            f"{q.percent(small.moving_s, moving_s)} of the time in which data moves goes into messages of "
            f"{q.bytes_(small.bytes / small.calls)} on average. Each takes about as long as an empty message; fewer "
            f"ranks would send fewer and larger ones."
        ),
        evidence=(
            Evidence("small messages", q.count(small.calls), f"of at most {q.bytes_(small.below_bytes)}"),
            Evidence("their mean size", q.bytes_(small.bytes / small.calls), "recorded calls"),
            Evidence("time of one", q.seconds(small.moving_s / small.calls), "ledger: moving data"),
            Evidence("round trip", q.seconds(small.rtt_s), "tcpi_min_rtt, median"),
            Evidence(
                "explained by round trips",
                f"{small.latency_s:.2f} rank-seconds",
                "one per message, log2(ranks) per collective",
            ),
        ),
        confidence=0.65,
    )
