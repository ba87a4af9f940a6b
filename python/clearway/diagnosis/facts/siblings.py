"""Hardware threads: which processors are parts of one core, by host, and whose threads share cores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_record
from clearway.diagnosis.facts.granted_processors import allowed


def cores_with_siblings(case: Case, processes: Collection[int]) -> list[frozenset[int]]:
    """The cores of the machine of these processes, each the set of its processors; none where each has only one."""
    record = host_record(case, processes)
    if record is None:
        return []
    told = (value for name, value in record.facts.items() if name.startswith("topology.siblings."))
    return [core for value in told for word in value.split() if len(core := allowed(word)) > 1]


def number_of_cores(cores: Sequence[frozenset[int]], processors: frozenset[int]) -> int:
    """Of which these processors are parts. `cores`: those with siblings."""
    theirs = [core for core in cores if core & processors]
    return len(theirs) + len(processors - frozenset[int]().union(*theirs))


def thread_masks(case: Case, process: int) -> list[frozenset[int]]:
    """The processors that each thread of a process may use, of those that compute."""
    of_rank = allowed(case.tables.ranks[process].cpus)
    if case.cores is None or case.tables.cores is None:
        return [of_rank]
    number = max(int(case.cores.table["threads"][process]), 1)
    known = [allowed(thread.cpus) or of_rank for thread in case.tables.cores.ranks[process].threads]
    return [*known, *[of_rank] * number][:number]


def sharing_cores(cores: Sequence[frozenset[int]], masks: Mapping[int, Sequence[frozenset[int]]]) -> set[int]:
    """Processes whose threads have a processor each, but must share cores. `masks`: of their threads, by process.

    More threads than processors are another fault.
    """
    shared: set[int] = set()
    rooms = {*cores, *(mask for own in masks.values() for mask in own if mask)}
    for room in rooms:
        inside = {process: [mask for mask in own if mask and mask <= room] for process, own in masks.items()}
        there = [mask for own in inside.values() for mask in own]
        processors = frozenset[int]().union(*there)
        if number_of_cores(cores, room) < len(there) <= len(processors):
            shared |= {process for process, own in inside.items() if own}
    return shared
