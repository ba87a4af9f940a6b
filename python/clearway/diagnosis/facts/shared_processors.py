"""Which ranks must share processors: by what they may use, their threads, and what their control group grants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.bound_to import bound_to
from clearway.diagnosis.facts.counters import machines, newest, process_rises
from clearway.diagnosis.facts.granted_processors import granted, granted_number
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.settings_in_force import threads_per_rank

LEAST_USED = 0.1  # of the time that the main thread wants a core: below, the other threads are idle
SAMPLED_S = 2.0  # of the record: the counters are read every second
HELD_BACK = 0.02  # of the wall-clock: below it a control group's limit is not what slows its ranks


@dataclass(frozen=True, slots=True)
class Crowd:
    """Processes of one machine whose threads want more processors than they have."""

    processes: tuple[int, ...]
    threads: int
    processors: float  # that they may use, all together
    free: int  # processors that the job may have there and none of its ranks may use
    granted: bool  # the limit is that of their control group


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Processes whose control group was stopped for having used its processors up."""

    processes: tuple[int, ...]
    threads: int
    processors: float  # that it grants
    stopped_s: float  # on each processor, summed


def held_back(case: Case) -> list[HeldBack]:
    return [held for members in machines(case).values() for held in _held_back(case, members)]


@once
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


@once
def held_back_s(case: Case) -> dict[int, float]:
    """By process: how long its control group was stopped for having used its processors up, where that is worth it."""
    stopped_us = process_rises(case, "process.cgroup_throttled_us")
    return {process: us * 1e-6 for process, us in stopped_us.items() if us * 1e-6 > HELD_BACK * case.wall_s}


def _bound(case: Case, members: list[int]) -> Iterator[Crowd]:
    """From the narrowest affinity to the widest; what is crowded already leaves the rest to the others."""
    everything, threads = granted(case, members), _threads(case)
    masks = {process: bound_to(case)[process] or everything for process in members}
    used = frozenset[int]().union(*masks.values())
    taken: frozenset[int] = frozenset()
    left = set(members)
    for mask in sorted(set(masks.values()), key=len):
        inside = tuple(sorted(process for process in left if masks[process] <= mask))
        wanted, room = sum(threads[process] for process in inside), len(mask - taken)
        if not mask or wanted <= room:
            continue
        yield Crowd(inside, wanted, room, max(granted_number(case, members) - len(used), 0), granted=False)
        taken |= mask
        left -= set(inside)


def _limited(case: Case, members: list[int]) -> Iterator[Crowd]:
    for held in _held_back(case, members):
        if held.threads > held.processors:
            yield Crowd(held.processes, held.threads, held.processors, 0, granted=True)


def _held_back(case: Case, members: list[int]) -> Iterator[HeldBack]:
    """By control group. Ranks of a host with the same limit are taken to be in one group."""
    grants, stopped, threads = case.run.fact("process.cgroup_cpus"), held_back_s(case), _threads(case)
    groups: dict[tuple[int, str], list[int]] = {}
    for process in members:
        if process in grants and process in stopped:
            groups.setdefault((int(case.run.processes["host"][process]), grants[process]), []).append(process)
    for (_, grant), inside in groups.items():
        stopped_s = max(stopped[process] for process in inside)
        yield HeldBack(tuple(inside), sum(threads[process] for process in inside), float(grant), stopped_s)


@once
def _threads(case: Case) -> list[int]:
    """By process: as many as it was told to use, but no more than it has: not every program uses OpenMP. Threads that
    are there and never want to run share nothing.
    """
    told, have, ready = threads_per_rank(case), newest(case, "process.threads"), _ready_threads(case)
    idle_below = 1 + LEAST_USED * (told - 1)
    return [
        max(1, min(told, have.get(process, told))) if ready.get(process, told) >= idle_below else 1
        for process in range(case.ranks)
    ]


def _ready_threads(case: Case) -> dict[int, float]:
    """By process: how many of its threads ran, or were ready to, for each second that the main thread was: a job that
    mostly sleeps, or waits for a device, may still want them all at once.
    """
    ran_ns, ready_ns = (process_rises(case, f"process.{name}_all_threads_ns") for name in ("cpu", "run_delay"))
    rows, main = case.run.processes, case.run.threads.data
    span_s = rows["end_s"] - rows["recording_s"]
    main_s = np.minimum((main["cpu_ns"] + main["run_delay_ns"]) * 1e-9, span_s)
    return {
        process: (ran_ns[process] + ready_ns[process]) * 1e-9 / float(main_s[process])
        for process in ran_ns.keys() & ready_ns.keys()
        if span_s[process] > SAMPLED_S and main_s[process] > 0
    }
