"""Another all-to-all of the job's own MPI: in pairs, so that no two ranks send to one port at a time."""

from __future__ import annotations

from clearway.diagnosis.case import Case
from clearway.diagnosis.collectives import algorithm_change, stalled_or_moving_s, told
from clearway.diagnosis.eager import EAGER_WORDS, asked_first_bytes, eager_change
from clearway.diagnosis.transport import goes_by_tcp, transport
from clearway.finding import Finding
from clearway.launch.change import combined
from clearway.remedies import Offer

EXCLUDES = frozenset({"flow"})
FUNCTIONS = ("MPI_Alltoall", "MPI_Alltoallv")


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = share of stalls (or, without any, of moving data) in all-to-alls."""
    if not goes_by_tcp(case) or case.page.flow or told(case, "alltoall"):
        return None
    part = stalled_or_moving_s(case, FUNCTIONS)
    change = algorithm_change(case, "alltoall")
    if change is None or part < 0.1:
        return None
    way, bytes_ = transport(case), None
    if way in EAGER_WORDS:
        bytes_ = asked_first_bytes(case)
    return Offer(
        what="let the MPI make all-to-alls in pairs" + (", without asking before each message" if bytes_ else ""),
        why="each port then receives from one rank at a time, and its buffer need not hold what the others send",
        gain=part,
        change=combined(change, eager_change(way, bytes_)) if bytes_ else change,
    )
