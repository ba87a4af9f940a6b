"""The job's control group grants less processor time than its ranks want: the kernel stops them in each period."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import at_work
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import HeldBack, held_back
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The job uses up its CPU quota and is throttled"
REMEDIES = ("fewer-threads", "fewer-ranks", "host-cpu-quota")


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks at work in stopped groups, no more than these were stopped, and the waits for them."""
    found = _to_be_told_here(case)
    core_wait_s, working_s = case.books.ledger["core_wait_s"], at_work(case)
    lost_s = own_s = 0.0
    for held in found:
        inside = list(held.processes)
        stopped_s = min(float(working_s[inside].sum()), _most_s(held))
        own_s += stopped_s
        lost_s += charged_s(case, "core_wait_s", inside) * stopped_s / max(float(core_wait_s[inside].sum()), 1e-9)
    if lost_s <= 0:
        return None
    first = found[0]
    share = _stopped_share(case, first)
    evidence = (
        Evidence("cores in the quota", f"{first.processors:.3g}", "cpu.max or cpu.cfs_quota_us"),
        Evidence("threads that want to run", f"{first.threads}", "ranks and their threads"),
        *([] if share is None else [Evidence("periods in which it was throttled", q.percent(share), "cpu.stat")]),
        Evidence("ranks waited without a core", f"{own_s:.2f} rank-seconds", "schedstat and cpu.stat: throttled time"),
    )
    ranks = sum(len(held.processes) for held in found)
    who = f"{'All ' if ranks == case.ranks else ''}{ranks} ranks were"
    if ranks == 1:
        who = "The rank was" if case.ranks == 1 else f"Rank {case.tables.ranks[first.processes[0]].rank} was"
    processors = f"{first.processors:.3g} processor{'' if first.processors == 1 else 's'}"
    says = (
        f"{who} stopped by a CPU limit for {q.percent(own_s, case.wall_s * ranks)} of the time: the control group of "
        f"the job (from a batch system or a container) may use {processors}, and once that is used up the kernel stops "
        f"all of its processes until the next period."
    )
    return Suspicion({"core_wait_s": lost_s}, says, evidence, confidence=0.96)


def _to_be_told_here(case: Case) -> list[HeldBack]:
    """Not where other hosts are free of it: they wait for a slow one then (slow-host)."""
    found = held_back(case)
    limited = {process for held in found for process in held.processes}
    return [] if case.tables.job.hosts > 1 and len(limited) < case.ranks else found


def _most_s(held: HeldBack) -> float:
    """The kernel counts stopped time by processor; several ranks of one may have stood still in it."""
    return held.stopped_s * max(1.0, held.threads / max(held.processors, 1.0))


def _stopped_share(case: Case, held: HeldBack) -> float | None:
    """Of the periods; None where the record does not tell."""
    stopped, periods = (process_rises(case, f"process.cgroup_{name}") for name in ("throttled_periods", "periods"))
    process = held.processes[0]
    return stopped[process] / periods[process] if periods.get(process) and process in stopped else None
