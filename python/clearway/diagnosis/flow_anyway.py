"""Flow for a job none of whose findings offers it: no remedy then, but a question, for those who name it.

One run may lose few packets, or wait for other programs most of the time, where the next one does not.
"""

from __future__ import annotations

from clearway.diagnosis.choose import Chosen
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.collectives import STEERED
from clearway.diagnosis.remedies import Offer, flow

FLOW = "flow"


def flow_anyway(case: Case) -> Chosen | None:
    """Where the job calls what it can order, between hosts. Nothing is promised."""
    if not flow.fits(case) or not any(row.function in STEERED for row in case.tables.mpi_calls):
        return None
    offer = Offer(what=flow.WHAT, why="it was asked for", gain=None, change=flow.CHANGE)
    return Chosen(FLOW, "", offer, flow.CHANGE, expected_gain_s=None, name=FLOW)
