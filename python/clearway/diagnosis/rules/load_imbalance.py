"""Some ranks compute longer than others, which wait for them."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Some ranks compute longer than others"
REMEDIES = ("pme-ranks", "ranks-and-threads")
ENOUGH = 5  # calls
ORDINARY = 1.15  # longest computing over the mean: engines with a part that one rank does alone come near it


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks waited for one that always computes longer."""
    compute_s = case.books.ledger["compute_s"]
    lost_s, mean_s = case.losses.imbalance_s, float(compute_s.mean())
    if case.ranks < 2 or lost_s <= 0 or compute_s.max() < ORDINARY * mean_s:
        return None
    longest = int(np.argmax(compute_s))
    rank = case.tables.ranks[longest]
    evidence = (
        Evidence("longest computing", f"{q.seconds(float(compute_s.max()))} (rank {rank.rank})", "ledger"),
        Evidence("mean computing", q.seconds(mean_s), "ledger"),
        Evidence("load balance", q.ratio(case.tables.pop.load_balance), "POP: mean over longest computing"),
        Evidence("others waited", f"{lost_s:.2f} rank-seconds", "ledger: waiting for the rank that waits least"),
    )
    says = (
        f"Rank {rank.rank} on {rank.host} computes {q.ratio(float(compute_s.max()) / mean_s)} times as long as the "
        f"mean; the others waited {q.seconds(lost_s / max(case.ranks - 1, 1))} each for it, on average."
        f"{_how_often(case, rank.rank)}"
    )
    return Suspicion({"imbalance_s": lost_s}, says, evidence, confidence=0.75)


def _how_often(case: Case, rank: int) -> str:
    """In which share of the calls that were waited in most it was the last; silence where the record has too few."""
    rows = [row for row in case.tables.collectives if row.recorded >= ENOUGH and row.communicator_size == case.ranks]
    most = max(rows, key=lambda row: row.wait_s, default=None)
    if most is None or most.last_rank != rank or most.last_share is None:
        return ""
    share = q.percent(most.last_share)
    return f" It came last to {share} of the {most.recorded:,} calls of {most.function} that are on record."
