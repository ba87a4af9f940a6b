"""Ranks have fewer cores than there are of them, and take turns."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import at_work, occupation
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.crowded_hosts import badly_spread
from clearway.diagnosis.facts.part_of_loss import charged_s
from clearway.diagnosis.facts.shared_processors import Crowd, crowds
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks share cores"
THREADS_TITLE = "The threads of a rank share cores"
REMEDIES = ("one-rank-a-core", "cores-for-threads", "fewer-threads", "spread-hosts", "fewer-ranks", "host-cpu-quota")


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks at work that must share, as far as ranks at work had the cores, and waits for them."""
    found = _to_be_told_here(case)
    core_wait_s, working_s = case.books.ledger["core_wait_s"], at_work(case)
    lost_s = own_s = 0.0
    for crowd in found:
        inside = list(crowd.processes)
        own_s += _had_by_work(case, crowd) * float(working_s[inside].sum())
        part = _had_by_work(case, crowd) * float(working_s[inside].sum()) / max(float(core_wait_s[inside].sum()), 1e-9)
        lost_s += part * charged_s(case, "core_wait_s", inside)
    if lost_s <= 0:
        return None
    ranks = sum(len(crowd.processes) for crowd in found)
    evidence = (
        *(_crowd(crowd) for crowd in found[:3]),
        Evidence("runnable, but without a core", f"{own_s:.2f} rank-seconds", "schedstat, while others worked on it"),
        Evidence("others waited for them", f"{max(lost_s - own_s, 0):.2f} rank-seconds", "ledger: MPI waiting"),
    )
    title = THREADS_TITLE if all(len(crowd.processes) == 1 for crowd in found) else ""
    return Suspicion({"core_wait_s": lost_s}, _says(case, found[0], own_s, ranks), evidence, 0.95, title)


def _to_be_told_here(case: Case) -> list[Crowd]:
    """Not those that the other hosts are free of: ranks badly spread, and hosts held back (uneven-cpu, slow-host)."""
    found, spread = crowds(case), badly_spread(case)
    limited = {process for crowd in found if crowd.granted for process in crowd.processes}
    elsewhere = spread.within if spread else frozenset[int]()
    if case.tables.job.hosts > 1 and len(limited) < case.ranks:
        elsewhere |= limited
    return [crowd for crowd in found if not elsewhere.issuperset(crowd.processes)]


def _had_by_work(case: Case, crowd: Crowd) -> float:
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
    elsewhere = _free(crowd.free)
    if len(crowd.processes) > 1:
        who = f"{len(crowd.processes)} ranks of one machine may use {limit} together. They were"
        its = "their"
    else:
        rank = case.tables.ranks[crowd.processes[0]].rank
        who = f"Rank {rank} has {crowd.threads} threads that want to run, and may use {limit}. Its main thread was"
        its = "its"
    return f"{who} ready to run, but had none, for {q.percent(own_s, wall_s)} of {its} time.{elsewhere}"


def _free(processors: int) -> str:
    if not processors:
        return ""
    one = processors == 1
    what = "processor" if one else "processors"
    return f" {processors} {what} that the job may have there {'is' if one else 'are'} used by none of its ranks."
