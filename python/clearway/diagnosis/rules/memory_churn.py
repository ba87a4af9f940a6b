"""The program gives memory back to the kernel and takes it again, over and over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.page_faults import PageFaults, churn_s, page_faults
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Memory is returned to the kernel and allocated again"
REMEDIES = ("allocator",)
OF_MALLOC = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_TOP_PAD_")
TUNABLES = tuple(f"glibc.malloc.{name}=" for name in ("mmap_threshold", "trim_threshold", "mmap_max", "top_pad"))
OF_OTHERS = {  # by a part of the library's name: variables that set when it gives memory back, and what in them does
    "jemalloc": (("MALLOC_CONF", "_RJEM_MALLOC_CONF"), re.compile(r"(?:dirty_decay_ms|muzzy_decay_ms|retain):[^,]*")),
    "tcmalloc": (("TCMALLOC_RELEASE_RATE", "TCMALLOC_AGGRESSIVE_DECOMMIT"), re.compile(r".+")),
    "mimalloc": (("MIMALLOC_PURGE_DELAY", "MIMALLOC_RESET_DELAY", "MIMALLOC_PAGE_RESET"), re.compile(r".+")),
}


def examine(case: Case) -> Suspicion | None:
    """Claims computing: the page faults beyond those that touch memory for the first time, at what the host takes."""
    lost_s, faults = churn_s(case), page_faults(case)
    if lost_s <= 0:
        return None
    evidence: tuple[Evidence, ...] = (
        Evidence(
            "page faults", q.count(faults.repeated), "getrusage, less the pages that the ranks held at their peak"
        ),
        Evidence("each takes", q.seconds(faults.each_s), "measured on the hosts when the job began"),
    )
    if not faults.are_of_malloc and not faults.allocators:
        evidence += (Evidence("mapped by the program itself", f"{q.count(faults.mapped)} pages", "calls of mmap"),)
    told = _told(case) if faults.are_of_malloc else _told_others(case, faults.allocators)
    evidence += tuple(Evidence("was set", each, "environment of the ranks") for each in told)
    says = (
        f"{q.count(faults.repeated)} times the ranks touched a page that the kernel had to find and clear first; one "
        f"time for each page that they held at their peak is not counted. {_cause(faults)}"
    )
    if told:
        says += f" When it does so is set by {' and '.join(told)}: try it without."
    return Suspicion({"compute_s": min(lost_s, case.losses.compute_s)}, says, evidence, confidence=0.6)


def _told(case: Case) -> list[str]:
    """What somebody set of when the C library gives memory back: variables of its own, or among its tunables."""
    own = [f"{name}={value}" for name in OF_MALLOC if (value := variable(case, name))]
    tunables = (variable(case, "GLIBC_TUNABLES") or "").split(":")
    return own + [f"GLIBC_TUNABLES={each}" for each in tunables if each.startswith(TUNABLES)]


def _told_others(case: Case, libraries: Sequence[str]) -> list[str]:
    """The same of allocators that take the place of the C library's."""
    known = [settings for name, settings in OF_OTHERS.items() if any(name in library for library in libraries)]
    return [
        f"{name}={','.join(found)}"
        for names, decides in known
        for name in names
        if (found := decides.findall(variable(case, name) or ""))
    ]


def _cause(faults: PageFaults) -> str:
    if faults.allocators:
        names = " and ".join(faults.allocators)
        return (
            f"Arrays that are freed and allocated again cause this, when the allocator ({names}, not the C library's) "
            f"returns their memory to the kernel in between: its manual says how to let it keep memory."
        )
    if not faults.are_of_malloc:
        return (
            "The program, or a library that it uses, maps memory by mmap and gives it back again and again; mapping it "
            "once and keeping it would save this. Settings of the C library's malloc change nothing here."
        )
    return (
        "Arrays that are freed and allocated again cause this, when the C library returns their memory to the kernel "
        "in between."
    )
