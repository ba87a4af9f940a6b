"""Messages for other hosts go to an interface that leads back to the sender's own: docker0, virbr0, localhost."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.own_addresses import astray
from clearway.diagnosis.facts.unreturned import CERTAIN, claims, open_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import State

TITLE = "Messages for other hosts are sent to the sender's own host"
REMEDIES = ("right-interface",)


def examine(case: Case) -> Suspicion | None:
    """Claims the calls that did not return. A job that found another way in the end lost nothing."""
    if case.tables.job.hosts < 2 or (case.run.processes["state"] == State.EXITED).all():
        return None
    lost_s, found = open_s(case, range(case.ranks)), astray(case)
    if found is None or lost_s <= 0:
        return None
    says = (
        f"{found.ranks:,} of {case.ranks:,} ranks connected to {found.address}, which is the address of {found.card} "
        f"on {found.hosts} hosts: each reached its own host instead of another, and waits for an answer that cannot "
        "come."
    )
    evidence = (
        Evidence(
            f"ranks that connected to {found.address}", f"{found.ranks:,} of {case.ranks:,}", "both ends on one host"
        ),
        Evidence(f"hosts whose {found.card} has that address", f"{found.hosts}", "host facts"),
        Evidence("in calls that did not return", f"{lost_s:.2f} rank-seconds", "calls in which the record ends"),
    )
    title = f"Messages for other hosts use {found.card}, which leads to no other host"
    return Suspicion(claims(case, lost_s), says, evidence, CERTAIN, title)
