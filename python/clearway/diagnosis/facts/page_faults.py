"""Memory that a program gives back to the kernel and takes again: what the page faults of it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_last, process_rises

PAGE_BYTES = 4096
LEAST = 0.05  # of the wall-clock: starting, loading libraries and arrays that come and go take some in every program
IN_A_JOB = 2.0  # times what it takes alone: pages not at hand, other ranks that ask for some as well (measured: 2.1)


@dataclass(frozen=True, slots=True)
class PageFaults:
    """Over all ranks."""

    repeated: int  # beyond one for each page that a rank held at its peak
    mapped: int  # of these, as many as the ranks mapped pages themselves, past the C library's malloc
    allocators: tuple[str, ...]  # files of a malloc other than the C library's
    each_s: float  # as the hosts measured it, with nothing else to do
    lost_s: float  # what the repeated ones took

    @property
    def are_of_malloc(self) -> bool:
        """Whether most of them may come from the C library's malloc."""
        return not self.allocators and 2 * self.mapped <= self.repeated


def page_faults(case: Case) -> PageFaults:
    """Nothing where the record has no counters for it."""
    faults, peaks = process_rises(case, "process.minor_faults"), process_last(case, "process.peak_rss_bytes")
    again = {process: max(faults[process] - peaks.get(process, 0) // PAGE_BYTES, 0) for process in faults}
    pages = {process: mapped // PAGE_BYTES for process, mapped in process_rises(case, "process.mapped_bytes").items()}
    mapped = sum(min(count, pages.get(process, 0)) for process, count in again.items())
    allocators = tuple(sorted({Path(file).name for file in case.run.fact("process.allocator").values()}))
    measured = [host.facts.get("memory.page_fault_ns", "") for host in case.tables.hosts]
    known = [int(each) for each in measured if is_whole(each)]
    each_s = min(known) * 1e-9 if known else 0.0
    most_s = _most_s(case, each_s)
    lost_s = sum(min(count * each_s * IN_A_JOB, most_s.get(process, math.inf)) for process, count in again.items())
    return PageFaults(sum(again.values()), mapped, allocators, each_s, lost_s)


def churn_s(case: Case) -> float:
    """What repeated page faults took of all ranks' time, where that is worth a finding of its own; else 0."""
    lost_s = page_faults(case).lost_s
    return lost_s if lost_s >= LEAST * case.wall_s * case.ranks else 0.0


def _most_s(case: Case, each_s: float) -> dict[int, float]:
    """By process, where it has one thread: all that the kernel took of it, but for touching each page once."""
    threads, peaks = process_last(case, "process.threads"), process_last(case, "process.peak_rss_bytes")
    system_ms = process_rises(case, "process.main_system_ms")
    return {
        process: max(milliseconds * 1e-3 - peaks.get(process, 0) // PAGE_BYTES * each_s, 0.0)
        for process, milliseconds in system_ms.items()
        if threads.get(process) == 1
    }
