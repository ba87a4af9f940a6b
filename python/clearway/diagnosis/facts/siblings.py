"""Hardware threads: which processors are parts of one core, by host."""

from __future__ import annotations

from collections.abc import Collection

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
