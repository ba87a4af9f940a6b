"""Some ranks have more to compute than others, which wait for them."""

from __future__ import annotations

import numpy as np

from clearway import quantities as q
from clearway.case import Case
from clearway.finding import Evidence
from clearway.rules import Suspicion

TITLE = "Some ranks have more to compute than others"
REMEDIES = ("pme-ranks", "ranks-and-threads")
ORDINARY = 1.15  # longest computing over the mean: engines with a part that one rank does alone come near it


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks waited for one that always computes longer."""
    compute_s = case.books.ledger["compute_s"]
    lost_s, mean_s = case.losses.imbalance_s, float(compute_s.mean())
    if case.ranks < 2 or lost_s <= 0 or compute_s.max() < ORDINARY * mean_s:
        return None
    longest = int(np.argmax(compute_s))
    rank = case.page.ranks[longest]
    evidence = (
        Evidence("longest computing", f"{q.seconds(float(compute_s.max()))} (rank {rank.rank})", "ledger"),
        Evidence("mean computing", q.seconds(mean_s), "ledger"),
        Evidence("load balance", q.ratio(case.page.pop.load_balance), "POP: mean over longest computing"),
        Evidence("others waited", f"{lost_s:.2f} rank-seconds", "ledger: waiting for the rank that waits least"),
    )
    says = (
        f"Rank {rank.rank} on {rank.host} computes {q.ratio(float(compute_s.max()) / mean_s)} times as long as the "
        "mean, and the others wait for it in every step."
    )
    return Suspicion({"imbalance_s": lost_s}, says, evidence, confidence=0.75)
