"""Some ranks compute longer than others, which wait for them."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.lateness import computing_share, lateness
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Some ranks compute longer than others"
REMEDIES = ("pme-ranks", "ranks-and-threads")
ENOUGH = 5  # calls
ENOUGH_FOR_A_BURST, BURST = 20, 0.25  # calls, and the share of them that holds nearly all waiting
ENOUGH_TURNS = 10  # calls
MOSTLY_ONE = 0.5  # of the calls in which the same rank is last: it is no matter of turns
UNEVEN = 1.25  # the longest stretch outside MPI over the mean, call by call
LONG_S = 2e-3  # stretches that are shorter differ by what the machine does beside
WORTH = 0.1  # of the rank-seconds
ORDINARY = 1.15  # longest computing over the mean: engines with a part that one rank does alone come near it


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks waited for one that always computes longer."""
    compute_s = case.books.ledger["compute_s"]
    lost_s, mean_s = case.losses.imbalance_s, float(compute_s.mean())
    if case.ranks < 2 or lost_s <= 0 or compute_s.max() < ORDINARY * mean_s:
        return _in_turns(case)
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


def _in_turns(case: Case) -> Suspicion | None:
    """Another rank computes longest each time: waits without a lasting cause, and with one nevertheless."""
    late = lateness(case) if case.ranks > 1 else None
    if late is None or len(late.late) < ENOUGH_TURNS:
        return None
    calls, times = len(late.late), np.bincount(late.late, late.longer_s, minlength=case.ranks)
    ratio = float(late.longest_s.sum() / max(late.mean_s.sum(), 1e-12))
    if np.bincount(late.late).max() > MOSTLY_ONE * calls or ratio < UNEVEN or late.longest_s.mean() < LONG_S:
        return None
    lost_s = sum(float(seconds) * computing_share(case, process) for process, seconds in enumerate(times.tolist()))
    lost_s = min(lost_s, case.losses.wait_s)
    if lost_s < WORTH * case.tables.ledger.wall_s:
        return None
    ranks = len(np.unique(late.late))
    says = (
        f"Which rank computes longest changes each step: {ranks} ranks came last in turn to the {calls:,} calls of "
        f"{late.function}, after {q.ratio(ratio)} times as long outside MPI as the mean. The others waited "
        f"{q.seconds(lost_s / case.ranks)} each, on average."
    )
    evidence = (
        Evidence("came last", f"{ranks} ranks in turn", f"entries of {late.function}"),
        Evidence("longest stretch outside MPI", f"{q.ratio(ratio)} of the mean", "call by call"),
        Evidence("others waited", f"{lost_s:.2f} rank-seconds", "ledger: waiting, as far as the late one computed"),
    )
    title = "Some ranks compute longer than others: which ones changes each step"
    return Suspicion({"wait_s": lost_s}, says, evidence, 0.6, title, remedies=())


def _how_often(case: Case, rank: int) -> str:
    """In which share of the calls that were waited in most it was the last; silence where the record has too few."""
    late = lateness(case)
    calls = 0 if late is None else len(late.wait_s)
    if late is not None and calls >= ENOUGH_FOR_A_BURST and late.decisive <= BURST * calls:
        return (
            f" It was so now and then: nine tenths of the waiting fell into {late.decisive} of the {calls:,} calls of "
            f"{late.function}."
        )
    rows = [row for row in case.tables.collectives if row.recorded >= ENOUGH and row.communicator_size == case.ranks]
    most = max(rows, key=lambda row: row.wait_s, default=None)
    if most is None or most.last_rank != rank or most.last_share is None:
        return ""
    share = q.percent(most.last_share)
    return f" It came last to {share} of the {most.recorded:,} calls of {most.function} that are on record."
