"""Another all-to-all of the job's own MPI: with few messages under way at a time."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import algorithm_change, algorithms, share_of, told
from clearway.diagnosis.facts.transport import goes_by_tcp
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES = frozenset({"flow"})
FUNCTIONS = ("MPI_Alltoall", "MPI_Alltoallv")
PAIRWISE_FROM_BYTES = 32768  # MPICH's own choice above: its pairs get out of step


def offer(case: Case, finding: Finding) -> Offer | None:
    """Where the job names another one, or where the MPI's own choice is measured to be worse (docs/remedies.md).

    gain = share of stalls (or, without any, of moving data) in all-to-alls.
    """
    chosen = told(case, "alltoall")
    change = algorithm_change(case, "alltoall")
    part = share_of(case, FUNCTIONS)
    if change is None or not goes_by_tcp(case) or case.tables.flow or part < 0.1:
        return None
    if chosen in algorithms(case, "alltoall") or (chosen is None and not _in_pairs(case)):
        return None
    return Offer(
        what="use an all-to-all algorithm of the MPI with few messages in flight",
        why="the buffer of a switch port then need not hold what all other ranks send at once",
        gain=part,
        change=change,
    )


def _in_pairs(case: Case) -> bool:
    """Whether MPICH chooses by itself to exchange the blocks in pairs."""
    sizes = [row.low_bytes for row in case.tables.collectives if row.function == "MPI_Alltoall"]
    return case.family == "mpich" and bool(sizes) and max(sizes) >= PAIRWISE_FROM_BYTES
