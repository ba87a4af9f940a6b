"""Ranks have fewer cores than there are of them, and take turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bound_by_itself import bound_by_runtime, given_at_start
from clearway.diagnosis.facts.core_use import at_work, occupation
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.crowded_hosts import badly_spread
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import Crowd, crowds
from clearway.diagnosis.facts.team_waits import hold_each_other_up
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks share cores"
REMEDIES = ("cores-for-threads", "one-rank-a-core", "fewer-threads", "spread-hosts", "fewer-ranks")
AGAINST_ITSELF = ("fewer-threads",)  # where it is not the launcher that binds


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks at work that must share, as far as ranks at work had the cores, and waits for them."""
    found = _to_be_told_here(case)
    core_wait_s, working_s = case.books.ledger["core_wait_s"], at_work(case)
    lost_s = own_s = 0.0
    for crowd in found:
        inside = list(crowd.processes)
        had = _had_by_work(case, crowd) * _may_come_back(case, crowd, found)
        own_s += had * float(working_s[inside].sum())
        part = had * float(working_s[inside].sum()) / max(float(core_wait_s[inside].sum()), 1e-9)
        lost_s += part * charged_s(case, "core_wait_s", inside)
    if lost_s <= 0:
        return None
    ranks = sum(len(crowd.processes) for crowd in found)
    evidence = (
        *list(dict.fromkeys(map(_crowd, found)))[:3],
        *_busiest(case, found[0]),
        Evidence("runnable, but without a core", f"{own_s:.2f} rank-seconds", "schedstat, while others worked on it"),
        Evidence("others waited for them", f"{max(lost_s - own_s, 0):.2f} rank-seconds", "ledger: MPI waiting"),
    )
    says, remedies = _says(case, found[0], own_s, ranks), None
    if given := min(given_at_start(case, crowd) for crowd in found):
        says += _by_itself(found, given)
        evidence += (Evidence("might use when it started", f"{given} processors", "affinity, before it was bound"),)
        remedies = AGAINST_ITSELF
    elif settings := bound_by_runtime(case, found[0]):
        says += _by_runtime(settings)
        evidence += tuple(Evidence("was set", each, "environment of the ranks") for each in settings)
    return Suspicion({"core_wait_s": lost_s}, says, evidence, 0.95, _title(case, found), remedies)


def _by_itself(found: list[Crowd], given: int) -> str:
    it = "it" if sum(len(crowd.processes) for crowd in found) == 1 else "each of them"
    return (
        f" When the program started, {it} might use {given}: the program, or a library that it loads, bound the "
        f"threads itself, and options of the launcher do not change that. Look at OMP_PROC_BIND, OMP_PLACES, "
        f"GOMP_CPU_AFFINITY and KMP_AFFINITY, and at what a task runtime or a BLAS in it says of binding."
    )


def _by_runtime(settings: list[str]) -> str:
    """Of ranks that began on the same cores: binding the ranks helps, too."""
    return (
        f" The launcher left each of them more: the OpenMP runtime of each bound it to so few "
        f"({', '.join(settings)}), and began with the same core, as it knows nothing of other ranks. Either let the "
        f"launcher bind ranks to cores of their own, or unset that."
    )


def _title(case: Case, found: list[Crowd]) -> str:
    """The rule's own where there are more ranks than processors."""
    if not all(_is_of_threads(crowd) for crowd in found):
        return ""
    ranks, first = sum(len(crowd.processes) for crowd in found), found[0]
    if len(found) > 1:
        return f"The threads of each of {ranks} ranks share cores"
    whose = f"{ranks} ranks" if ranks > 1 else f"rank {case.tables.ranks[first.processes[0]].rank}"
    return f"{first.threads} threads of {whose} share {first.processors:.3g} core{'' if first.processors == 1 else 's'}"


def _is_of_threads(crowd: Crowd) -> bool:
    """Whether each of its ranks could have a processor, were it not for their threads."""
    return len(crowd.processes) <= crowd.processors or len(crowd.processes) == 1


def _to_be_told_here(case: Case) -> list[Crowd]:
    """Not those that the other hosts are free of (uneven-cpu), nor those that a control group holds back (quota)."""
    spread = badly_spread(case)
    elsewhere = spread.within if spread else frozenset[int]()
    return [crowd for crowd in crowds(case) if not crowd.granted and not elsewhere.issuperset(crowd.processes)]


def _may_come_back(case: Case, crowd: Crowd, found: list[Crowd]) -> float:
    """Of the time without a core. Threads that take turns on all the processors that there are do their work as soon as
    one thread would: that costs nothing. Where others are free, they could have these. But threads that mostly wait for
    each other hold each other up: the one that the others wait for may be the one without a core.
    """
    if not _is_of_threads(crowd) or hold_each_other_up(case, crowd.processes):
        return 1.0
    machine = case.run.processes["machine"]
    beside = [each for each in found if machine[each.processes[0]] == machine[crowd.processes[0]] and not each.granted]
    lacking = sum(each.threads - each.processors for each in beside)
    return min(crowd.free / lacking, 1.0)


def _had_by_work(case: Case, crowd: Crowd) -> float:
    """What ranks at work used of the cores."""
    return next(occupation(case, members).work for members in machines(case).values() if crowd.processes[0] in members)


def _crowd(crowd: Crowd) -> Evidence:
    source = "affinity of the ranks, processors of the host"
    return Evidence("threads for processors", f"{crowd.threads} for {crowd.processors:.3g}", source)


def _busiest(case: Case, crowd: Crowd) -> Iterator[Evidence]:
    """Of ranks with several threads: where these were seen."""
    ranks = case.tables.cores.ranks if case.tables.cores else ()
    threads: dict[int, float] = defaultdict(float)
    for one in (ranks[process] for process in crowd.processes if ranks):
        for core in one.by_core:
            threads[core.cpu] += core.busy
    if threads:
        cpu, busy = max(threads.items(), key=lambda each: each[1])
        yield Evidence(f"threads on core {cpu} at a time", f"{busy:.2f}", "sampled: running there, or ready to")


def _says(case: Case, crowd: Crowd, own_s: float, ranks: int) -> str:
    wall_s = case.wall_s * ranks
    limit = f"{crowd.processors:.3g} processor{'' if crowd.processors == 1 else 's'}"
    elsewhere = _free(crowd.free)
    if len(crowd.processes) > 1:
        threads = f" with {crowd.threads} threads" if _is_of_threads(crowd) else ""
        who = f"{len(crowd.processes):,} ranks of one machine{threads} may use {limit} together. They were"
        its = "their"
    else:
        rank = case.tables.ranks[crowd.processes[0]].rank
        who = f"Rank {rank} has {crowd.threads} threads that want to run, and may use {limit}. Its main thread was"
        its = "its"
    return f"{who} ready to run but had no core for {q.percent(own_s, wall_s)} of {its} time.{elsewhere}"


def _free(processors: int) -> str:
    if not processors:
        return ""
    what, have = ("processor", "has") if processors == 1 else ("processors", "have")
    return f" {processors} {what} that the job may use there {have} no rank."
