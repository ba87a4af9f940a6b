"""Ranks have fewer cores than there are of them, and take turns."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.charged import charged_s
from clearway.diagnosis.crowding import Crowd, crowds
from clearway.finding import Evidence
from clearway.rules import Suspicion

TITLE = "Ranks share cores"
REMEDIES = ("one-rank-a-core", "spread-hosts", "ranks-and-threads")


def examine(case: Case) -> Suspicion | None:
    """Claims the run delay of the ranks that must share, and the waits of others for them."""
    found = crowds(case)
    processes = sorted({process for crowd in found for process in crowd.processes})
    lost_s = charged_s(case, "core_wait_s", processes)
    if lost_s <= 0:
        return None
    own_s = float(case.books.ledger["core_wait_s"][processes].sum())
    evidence = [
        *(_crowd(crowd) for crowd in found[:3]),
        Evidence("runnable, but without a core", f"{own_s:.2f} rank-seconds", "schedstat, outside of waits in MPI"),
        Evidence("others waited for them", f"{max(lost_s - own_s, 0):.2f} rank-seconds", "ledger: MPI waiting"),
    ]
    return Suspicion({"core_wait_s": lost_s}, _says(case, found[0], own_s, len(processes)), tuple(evidence), 0.95)


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
