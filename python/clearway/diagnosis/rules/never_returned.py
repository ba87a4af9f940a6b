"""Ranks stand in MPI calls that do not return: a deadlock, or a rank that they wait for in vain."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.unreturned import claims, idle_meanwhile_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import State

TITLE = "MPI calls never return"
REMEDIES = ()
TITLES = {
    "deadlock": "Ranks wait for one another: a deadlock",
    "mismatch": "Ranks make different collective calls",
    "fewer_calls": "One rank makes fewer collective calls than the others",
    "ended": "Ranks wait for one that has ended",
    "busy": "Ranks wait for one that does not come",
}
# "busy" may yet end well.
CONFIDENCE = {"deadlock": 0.97, "mismatch": 0.97, "fewer_calls": 0.96, "ended": 0.96, "busy": 0.85}
SHOWN = 3


def examine(case: Case) -> Suspicion | None:
    """Claims the time in the calls. MPI_Init is the business of the rule late-start."""
    graph = case.tables.waits_for
    if graph is None or graph.kind not in TITLES or (case.run.processes["state"] == State.EXITED).all():
        return None
    opened = case.books.open_calls
    waiting = [case.run.process_of_rank[rank] for rank in graph.waiting]
    lost_s = float(opened.time_s[waiting].sum()) + idle_meanwhile_s(case, waiting)
    longest = sorted(waiting, key=lambda process: -float(opened.time_s[process]))
    evidence = tuple(
        Evidence(
            f"rank {int(case.run.processes['rank'][process])}",
            f"{q.seconds(float(opened.time_s[process]))} in {case.run.functions.all[case.run.main_call[process]].name}",
            "the call in which its record ends",
        )
        for process in longest[:SHOWN]
    )
    return Suspicion(claims(case, lost_s), graph.says, evidence, CONFIDENCE[graph.kind], TITLES[graph.kind])
