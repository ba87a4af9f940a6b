"""Another allgather of the job's own MPI: a ring, where each rank sends to its neighbour only."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import algorithm_change, algorithms, share_of, told
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"flow"})
FUNCTIONS = ("MPI_Allgather", "MPI_Allgatherv")


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = share of allgathers in the moving of data: the finding counts what they take beyond what a ring does."""
    if case.tables.flow or told(case, "allgather") in algorithms(case, "allgather"):
        return None
    part = share_of(case, FUNCTIONS)
    change = algorithm_change(case, "allgather")
    if change is None or part < 0.1 or case.ranks < 3:
        return None
    return Offer(
        what="use the MPI's ring algorithm for allgather",
        why="every rank then sends and receives at once, and no port carries more than its own share",
        gain=part,
        change=change,
    )
