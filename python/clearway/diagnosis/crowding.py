"""Which ranks must share processors: by what they may use, their threads, and what their control group grants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clearway.diagnosis.case import Case
from clearway.diagnosis.counters import host_record, machines, process_rises
from clearway.diagnosis.in_force import threads_per_rank
from clearway.diagnosis.placing import allowed


@dataclass(frozen=True, slots=True)
class Crowd:
    """Processes of one machine whose threads want more processors than they have."""

    processes: tuple[int, ...]
    threads: int
    processors: float  # that they may use, all together
    free: int  # processors of the machine that none of its ranks may use
    granted: bool  # the limit is that of their control group


def crowds(case: Case) -> list[Crowd]:
    """All of them; no process is in two."""
    found: list[Crowd] = []
    for members in machines(case).values():
        limited = [*_limited(case, members)]
        inside = {process for crowd in limited for process in crowd.processes}
        found += [*limited, *_bound(case, [process for process in members if process not in inside])]
    return found


def crowded(case: Case) -> list[int]:
    """The processes that must share."""
    return sorted({process for crowd in crowds(case) for process in crowd.processes})


def _bound(case: Case, members: list[int]) -> Iterator[Crowd]:
    """From the narrowest affinity to the widest; what is crowded already leaves the rest to the others."""
    threads = threads_per_rank(case)
    everything = _processors(case, members)
    masks = {process: allowed(case.page.ranks[process].cpus) or everything for process in members}
    used = frozenset[int]().union(*masks.values())
    taken: frozenset[int] = frozenset()
    left = set(members)
    for mask in sorted(set(masks.values()), key=len):
        inside = tuple(sorted(process for process in left if masks[process] <= mask))
        room = len(mask - taken)
        if not mask or len(inside) * threads <= room:
            continue
        yield Crowd(inside, len(inside) * threads, room, len(everything - used), granted=False)
        taken |= mask
        left -= set(inside)


def _limited(case: Case, members: list[int]) -> Iterator[Crowd]:
    """By control group. Ranks of a host with the same limit are taken to be in one group."""
    grants, throttled_us = case.run.fact("process.cgroup_cpus"), process_rises(case, "process.cgroup_throttled_us")
    groups: dict[tuple[int, str], list[int]] = {}
    for process in members:
        if process in grants and throttled_us.get(process, 0) > 0:
            groups.setdefault((int(case.run.processes["host"][process]), grants[process]), []).append(process)
    threads = threads_per_rank(case)
    for (_, grant), inside in groups.items():
        if len(inside) * threads > float(grant):
            yield Crowd(tuple(inside), len(inside) * threads, float(grant), 0, granted=True)


def _processors(case: Case, members: list[int]) -> frozenset[int]:
    record = host_record(case, members)
    count = record.facts.get("host.cores", "") if record else ""
    return frozenset(range(int(count))) if count.isdecimal() else frozenset()
