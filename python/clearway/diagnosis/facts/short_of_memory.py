"""Whether memory is short: pages of the ranks are taken from them, and have to be fetched back when they are used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise, process_rises
from clearway.diagnosis.finding import Evidence
from clearway.ledger.blocked import UNNAMED, parts

SLOWEST_FAULT_S = 0.02  # a page from a busy disk; what is blocked longer waits for something else
FEWEST_FAULTS_A_S = 20.0  # of a rank: below, they are programs and libraries that are read once
FEWEST_HITS_A_S = 1.0  # times that the control group had to take memory back
FEWEST_PAGES_A_S = 20.0  # swapped in
WORTH_NAMING = 0.02  # of the wall-clock


def page_waits_s(case: Case) -> NDArray[np.float64]:
    """By process: as long as it was blocked for memory, or nobody knows for what, and page faults explain that."""
    found = np.zeros(case.ranks)
    for part in parts(case.run, case.books):
        if part.line == "other_s" and part.activity in ("memory", UNNAMED):
            found[part.process] += part.seconds
    faults, stalled_us = (
        process_rises(case, f"process.{name}") for name in ("major_faults", "cgroup_memory_stalled_us")
    )
    rows = case.run.processes
    span_s = rows["end_s"] - rows["recording_s"]
    for process in range(case.ranks):
        number = faults.get(process, 0)
        by_faults_s = number * SLOWEST_FAULT_S if number > FEWEST_FAULTS_A_S * span_s[process] else 0.0
        found[process] = min(found[process], max(by_faults_s, stalled_us.get(process, 0) * 1e-6))
    return found


def shortage(case: Case) -> Iterator[Evidence]:
    """What says that it is memory that is short, and not a mapped file that is read for the first time."""
    hits = max(process_rises(case, "process.cgroup_memory_hits").values(), default=0)
    if hits > FEWEST_HITS_A_S * case.wall_s:
        limits = (case.fact(f"process.cgroup_memory_{name}") for name in ("high_bytes", "bytes"))
        limit = min((int(each) for each in limits if each and is_whole(each)), default=None)
        granted = f" of {q.bytes_(limit)}" if limit is not None else ""
        yield Evidence("the control group was full", f"{hits:,} times{granted}", "memory.events or memory.failcnt")
    for host in case.run.hosts:
        pages = host_rise(host, "memory.swapped_in_pages")
        if pages > FEWEST_PAGES_A_S * case.wall_s:
            yield Evidence(f"swapped in on {host.name}", f"{pages:,} pages", "/proc/vmstat: pswpin")
        stalled_s = host_rise(host, "pressure.memory_us") * 1e-6
        if stalled_s > WORTH_NAMING * case.wall_s:
            yield Evidence(f"a task on {host.name} waited for memory", q.seconds(stalled_s), "/proc/pressure/memory")
