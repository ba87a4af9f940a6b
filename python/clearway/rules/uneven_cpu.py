"""Some hosts have more ranks than cores while others have cores left: the ranks get uneven shares of CPU time."""

from __future__ import annotations

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.charged import charged_s
from clearway.diagnosis.in_force import threads_per_rank
from clearway.diagnosis.placing import allowed
from clearway.finding import Evidence
from clearway.page import Host, Rank
from clearway.rules import Suspicion

TITLE = "CPU utilisation is uneven: ranks are badly spread over the hosts"
REMEDIES = ("spread-hosts",)
EVEN = 0.05  # between hosts: more means that something is wrong with where the ranks run


def examine(case: Case) -> Suspicion | None:
    """Claims the run delay on hosts that have more threads than processors, where other hosts have some left."""
    threads = threads_per_rank(case)
    room = {host.name: _processors(case, host) - host.ranks * threads for host in case.page.hosts}
    full = {name for name, left in room.items() if left < 0}
    roomy = [name for name, left in room.items() if left > 0]
    within = [index for index, rank in enumerate(case.page.ranks) if rank.host in full]
    spread = _got(case.page.ranks, full)
    lost_s = charged_s(case, "core_wait_s", within)
    if not full or not roomy or spread is None or lost_s <= 0:
        return None
    there, elsewhere = spread
    if elsewhere - there < EVEN:
        return None
    worst = next(host for host in case.page.hosts if host.name in full)
    evidence = (
        Evidence(f"ranks on {worst.name}", f"{worst.ranks} for {_processors(case, worst)} processors", "hosts"),
        Evidence("hosts with processors left", f"{len(roomy)} of {len(room)}", "affinity, processors of the hosts"),
        Evidence("on a core when ready", f"{q.percent(there)} there, {q.percent(elsewhere)} elsewhere", "schedstat"),
    )
    says = (
        f"{worst.name} runs {worst.ranks} ranks on {_processors(case, worst)} processors while {roomy[0]} has some "
        "left: its ranks get less CPU time, and the others wait for them."
    )
    return Suspicion({"core_wait_s": lost_s}, says, evidence, confidence=0.96)


def _processors(case: Case, host: Host) -> int:
    masks = [allowed(rank.cpus) for rank in case.page.ranks if rank.host == host.name]
    return len(frozenset[int]().union(*masks)) or host.cores or 0


def _got(ranks: tuple[Rank, ...], full: set[str]) -> tuple[float, float] | None:
    """Of the time in which ranks could have run, the part in which they did: on full hosts, and on the others.

    Plain CPU utilisation would not tell: ranks that wait without polling use as much CPU time as those they wait for.
    """
    there = _on_core([rank for rank in ranks if rank.host in full])
    elsewhere = _on_core([rank for rank in ranks if rank.host not in full])
    return None if there is None or elsewhere is None else (there, elsewhere)


def _on_core(ranks: list[Rank]) -> float | None:
    ran_s = sum(rank.cpu_s for rank in ranks)
    ready_s = ran_s + sum(rank.ledger.core_wait_s for rank in ranks)
    return ran_s / ready_s if ready_s > 0 else None
