"""Memory that a program gives back to the kernel and takes again: what the page faults of it cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_last, process_rises

PAGE_BYTES = 4096
IN_A_JOB = 2.0  # times what it takes alone: pages not at hand, other ranks that ask for some as well (measured: 2.1)


@dataclass(frozen=True, slots=True)
class PageFaults:
    """Over all ranks."""

    repeated: int  # beyond one for each page that a rank held at its peak
    mapped: int  # of these, as many as the ranks mapped pages themselves, past the C library's malloc
    allocators: tuple[str, ...]  # files of a malloc other than the C library's
    each_s: float  # as the hosts measured it, with nothing else to do

    @property
    def are_of_malloc(self) -> bool:
        """Whether most of them may come from the C library's malloc."""
        return not self.allocators and 2 * self.mapped <= self.repeated

    @property
    def lost_s(self) -> float:
        return self.repeated * self.each_s * IN_A_JOB


def page_faults(case: Case) -> PageFaults:
    """Nothing where the record has no counters for it."""
    faults, peaks = process_rises(case, "process.minor_faults"), process_last(case, "process.peak_rss_bytes")
    again = {process: max(faults[process] - peaks.get(process, 0) // PAGE_BYTES, 0) for process in faults}
    pages = {process: mapped // PAGE_BYTES for process, mapped in process_rises(case, "process.mapped_bytes").items()}
    mapped = sum(min(count, pages.get(process, 0)) for process, count in again.items())
    allocators = tuple(sorted({Path(file).name for file in case.run.fact("process.allocator").values()}))
    measured = [host.facts.get("memory.page_fault_ns", "") for host in case.tables.hosts]
    known = [int(each) for each in measured if each.isdecimal()]
    return PageFaults(sum(again.values()), mapped, allocators, min(known) * 1e-9 if known else 0.0)
