"""Ranks have fewer cores than there are of them, and take turns."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.charged import charged_s
from clearway.diagnosis.counters import machines
from clearway.diagnosis.crowding import Crowd, crowds
from clearway.diagnosis.occupation import occupation
from clearway.finding import Evidence
from clearway.rules import Suspicion

TITLE = "Ranks share cores"
REMEDIES = ("one-rank-a-core", "spread-hosts", "fewer-ranks")


def examine(case: Case) -> Suspicion | None:
    """Claims the run delay of the ranks that must share, as far as ranks at work had the cores, and waits for them."""
    found = crowds(case)
    lost_s = sum(_at_work(case, crowd) * charged_s(case, "core_wait_s", crowd.processes) for crowd in found)
    if lost_s <= 0:
        return None
    processes = sorted({process for crowd in found for process in crowd.processes})
    own_s = float(case.books.ledger["core_wait_s"][processes].sum())
    evidence = [
        *(_crowd(crowd) for crowd in found[:3]),
        Evidence("runnable, but without a core", f"{own_s:.2f} rank-seconds", "schedstat, outside of waits in MPI"),
        Evidence("of it, for each other's work", q.percent(_at_work(case, found[0])), "CPU time used on the machine"),
    ]
    return Suspicion({"core_wait_s": lost_s}, _says(case, found[0], own_s, len(processes)), tuple(evidence), 0.95)


def _at_work(case: Case, crowd: Crowd) -> float:
    """What ranks at work used of the cores. A control group's limit concerns nobody else."""
    if crowd.granted:
        return 1.0
    return next(occupation(case, members).work for members in machines(case).values() if crowd.processes[0] in members)


def _crowd(crowd: Crowd) -> Evidence:
    source = "limit of their control group" if crowd.granted else "affinity of the ranks, processors of the host"
    return Evidence("threads for processors", f"{crowd.threads} for {crowd.processors:.3g}", source)


def _says(case: Case, crowd: Crowd, own_s: float, ranks: int) -> str:
    wall_s = case.wall_s * ranks
    limit = f"{crowd.processors:.3g} processor{'' if crowd.processors == 1 else 's'}"
    who = f"{len(crowd.processes)} rank{'' if len(crowd.processes) == 1 else 's'}"
    elsewhere = f" {crowd.free} of the machine's processors are used by none." if crowd.free else ""
    return (
        f"{who} of one machine may use {limit} together. They were ready to run, but had none, "
        f"for {q.percent(own_s, wall_s)} of their time.{elsewhere}"
    )
