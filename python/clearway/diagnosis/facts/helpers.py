"""Programs that the job's own script runs beside the launcher: they are the job's, though none of its ranks."""

from __future__ import annotations

from collections.abc import Collection

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise
from clearway.run.run import HostRecord

LAUNCH = "another MPI program"
SHELLS = frozenset({"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh"})  # they only start what is to be named
WORTH_NAMING = 0.1  # of what all of them used


def helpers_s(case: Case, processes: Collection[int]) -> float:
    """CPU time that they used on the machine of these, as far as they ran beside the ranks. Hosts that are one machine
    see the same ones.
    """
    beside_s = (
        max(host_rise(record, "helpers.cpu_ms") * 1e-3 - record.helpers_apart_s, 0.0) + record.launches_beside_s
        for record in _records(case, processes)
    )
    return max(beside_s, default=0.0)


def helper_names(case: Case, processes: Collection[int]) -> list[str]:
    """Those that used most first; none where each was gone before it was seen."""
    used_ms: dict[str, int] = {}
    for record in _records(case, processes):
        for counter, (_, last) in record.counters.items():
            if counter.startswith("helper.") and counter.endswith(".cpu_ms"):
                name = counter.removeprefix("helper.").removesuffix(".cpu_ms")
                used_ms[name] = max(used_ms.get(name, 0), last)
    for record in _records(case, processes):
        used_ms[LAUNCH] = max(used_ms.get(LAUNCH, 0), round(record.launches_beside_s * 1e3))
    programs = {name: ms for name, ms in used_ms.items() if name not in SHELLS and ms > 0} or used_ms
    enough = WORTH_NAMING * sum(programs.values())
    return sorted((name for name, ms in programs.items() if ms >= enough), key=lambda name: -programs[name])


def _records(case: Case, processes: Collection[int]) -> list[HostRecord]:
    names = {case.run.host_names[case.run.processes["host"][process]] for process in processes}
    return [record for record in case.run.hosts if record.name in names]
