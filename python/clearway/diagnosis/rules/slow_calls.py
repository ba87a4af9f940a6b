"""MPI calls inside one host take far longer than copying their bytes does: the MPI itself works in them."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case, mpi_settings
from clearway.diagnosis.facts.call_times import SlowCalls, slow_calls
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import FunctionClass

TITLE = "MPI calls take far longer than their bytes need"
REMEDIES = ()
FAR_LONGER = 3.0
WORTH_NAMING = 0.05  # of the longest
USUAL = {
    "collective": "a reduction whose operation the program brings itself (MPI_Op_create)",
    "send": "a derived datatype of many small pieces",
    "send_receive": "a derived datatype of many small pieces",
    "receive": "many messages that came before they were asked for, and are searched one by one",
}


def examine(case: Case) -> Suspicion | None:
    """Claims moving data: what these calls took beyond their need. Not where ranks share cores: a partner that has none
    makes calls as long.
    """
    moving_s = case.tables.ledger.mpi_transfer_s
    slow = [one for one in slow_calls(case) if one.moving_s > FAR_LONGER * one.least_s]
    found = [one for one in slow if one.excess_s > WORTH_NAMING * slow[0].excess_s]
    lost_s = sum(one.excess_s for one in found)
    if lost_s <= 0 or moving_s <= 0 or crowded(case):
        return None
    first = found[0]
    says = (
        f"{first.row.function} took {q.seconds(first.moving_s / first.row.count)} a call to move "
        f"{q.bytes_(first.row.bytes / first.row.count)} on average, after all ranks that it needs had come; inside a "
        f"host {q.seconds(first.least_s / first.row.count)} is enough. The rest is work inside the MPI. "
        f"{_why(case, first)}"
    )
    claims = {"transfer_s": min(lost_s / moving_s, 1.0) * case.losses.transfer_s}
    told = (*map(_evidence, found), *mpi_settings.evidence(case, _is_collective(first)))
    return Suspicion(claims, says, told, confidence=0.4)


def _is_collective(one: SlowCalls) -> bool:
    return one.row.function_class == FunctionClass.COLLECTIVE.name.lower()


def _why(case: Case, one: SlowCalls) -> str:
    """What somebody set comes before what programs usually do."""
    found = mpi_settings.settings(case, _is_collective(one))
    usual = USUAL[one.row.function_class]
    if not found:
        return f"A usual reason is {usual}."
    return (
        f"The MPI was told how to move data, by {', '.join(found)}: try it without first. Otherwise a usual reason is "
        f"{usual}."
    )


def _evidence(one: SlowCalls) -> Evidence:
    what = f"{one.moving_s:.2f} rank-seconds, {q.seconds(one.least_s)} needed"
    return Evidence(f"moving data in {one.row.function}", what, f"{one.row.count:,} calls, {q.bytes_(one.row.bytes)}")
