"""Hosts with more threads than processors, beside hosts that have processors left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.settings_in_force import threads_per_rank
from clearway.diagnosis.facts.tables.hosts import Host
from clearway.diagnosis.facts.tables.ranks import Rank

EVEN = 0.05  # of the time in which ranks could have run: more between hosts means that they are badly spread


@dataclass(frozen=True, slots=True)
class Spread:
    """Ranks badly spread over hosts."""

    worst: Host  # the first of those that are too full
    processors: int  # that its ranks may use
    roomy: tuple[str, ...]  # hosts with processors left
    within: frozenset[int]  # processes on hosts that are too full
    there: float  # of the time in which these could have run, the part in which they did
    elsewhere: float


def badly_spread(case: Case) -> Spread | None:
    """None where no host is too full, none has room, or the ranks on both get their cores alike."""
    threads = threads_per_rank(case)
    room = {host.name: _processors(case, host) - host.ranks * threads for host in case.tables.hosts}
    full = {name for name, left in room.items() if left < 0}
    roomy = tuple(name for name, left in room.items() if left > 0)
    if not full or not roomy:
        return None
    within = frozenset(index for index, rank in enumerate(case.tables.ranks) if rank.host in full)
    there = _on_core(case.tables.ranks[process] for process in within)
    elsewhere = _on_core(rank for rank in case.tables.ranks if rank.host not in full)
    if elsewhere - there < EVEN:
        return None
    worst = next(host for host in case.tables.hosts if host.name in full)
    return Spread(worst, _processors(case, worst), roomy, within, there, elsewhere)


def _processors(case: Case, host: Host) -> int:
    masks = [allowed(rank.cpus) for rank in case.tables.ranks if rank.host == host.name]
    return len(frozenset[int]().union(*masks)) or host.cores or 0


def _on_core(ranks: Iterable[Rank]) -> float:
    """Plain CPU utilisation would not tell: ranks that wait asleep use no more CPU time than those they wait for."""
    pairs = [(rank.cpu_s, rank.ledger.core_wait_s) for rank in ranks]
    ran_s, ready_s = sum(cpu_s for cpu_s, _ in pairs), sum(map(sum, pairs))
    return ran_s / ready_s if ready_s > 0 else 1.0
