"""The memory of ranks is attached to another socket than the one they run on."""

from __future__ import annotations

import re

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import newest
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks use memory of another socket"
REMEDIES = ("pin-ranks",)
FAR = 0.25  # of a rank's pages: libraries and what was read first may lie anywhere
BOUND_BY_MEMORY = 0.1  # of computing: molecular dynamics lives in caches; see the rule's page
LOCAL = 10.0  # a node's distance to itself in the firmware's table, which scales latencies


def examine(case: Case) -> Suspicion | None:
    """Claims the computing of ranks with far memory that it prolonged: an estimate.

    Of computing, BOUND_BY_MEMORY waits for memory; for far pages that part takes longer in the ratio of the distances.
    """
    shares = {process: share for process, share in _far_shares(case).items() if share > FAR}
    ratio = _distance_ratio(case)
    if not shares or ratio <= 1:
        return None
    slower = BOUND_BY_MEMORY * (ratio - 1)
    compute_s = case.books.ledger["compute_s"]
    needless_s = sum(
        float(compute_s[process]) * slower * share / (1 + slower * share) for process, share in shares.items()
    )
    worst = max(shares, key=lambda process: shares[process])
    rank = case.tables.ranks[worst]
    evidence = (
        Evidence(
            "ranks with far memory", f"{len(shares):,} of {case.ranks:,}", "move_pages of a sample of their pages"
        ),
        Evidence(f"far pages of rank {rank.rank}", q.percent(shares[worst]), f"seen from processors {rank.cpus}"),
        Evidence("far memory is slower", f"{ratio:.1f} times", "NUMA distances, from the firmware"),
    )
    who = "1 rank has" if len(shares) == 1 else f"{len(shares):,} ranks have"
    says = (
        f"{who} much memory on a socket other than the one they compute on: each access that misses the caches crosses "
        f"the link between the sockets."
    )
    return Suspicion({"compute_s": needless_s}, says, evidence, confidence=0.5)


def _far_shares(case: Case) -> dict[int, float]:
    """By process: the share of its pages on other nodes, at the newest sample."""
    near, far = (newest(case, f"process.sampled_pages_{where}") for where in ("near", "far"))
    return {process: far[process] / (far[process] + near[process]) for process in far if far[process] > 0}


def _distance_ratio(case: Case) -> float:
    """Mean distance to another node over that to a node's own; 1 where a host has one node only."""
    found = [
        [float(word) for word in value.split()]
        for host in case.tables.hosts
        for name, value in host.facts.items()
        if re.fullmatch(r"numa\.\d+\.distances", name)
    ]
    others = [distance / LOCAL for row in found for distance in row if distance > LOCAL]
    return sum(others) / len(others) if others else 1.0
