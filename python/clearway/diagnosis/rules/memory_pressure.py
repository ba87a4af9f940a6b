"""Memory is short: pages of the ranks were taken from them, and had to be fetched back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import host_rise, process_rises
from clearway.diagnosis.facts.kernel_time import kernel_s
from clearway.diagnosis.facts.waited_for import longest_wait_s, waited_for_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.blocked import UNNAMED, parts
from clearway.ledger.timelines import BLOCKED

TITLE = "Memory is short: ranks wait for pages to be read back from disk"
REMEDIES = ("more-memory",)
SLOWEST_FAULT_S = 0.02  # a page from a busy disk; what is blocked longer waits for something else
KERNEL_FAULT_S = 2e-4  # of processor time at most: room for a page is made first, and those behind it are read, too
FEWEST_FAULTS_A_S = 20.0  # of a rank: below, they are programs and libraries that are read once
FEWEST_HITS_A_S = 1.0  # times that the control group had to take memory back
FEWEST_PAGES_A_S = 20.0  # swapped in
WORTH_NAMING = 0.02  # of the wall-clock


def examine(case: Case) -> Suspicion | None:
    """Claims blocked seconds that page faults explain, where all ranks have them, or others wait for them; and what
    looks like computing, but is the kernel's fetching of pages.
    """
    shortage = tuple(_shortage(case))
    if not shortage:
        return None
    waited_s = _waited_s(case)
    if not waited_s.any():
        return None
    everyone_s = float(waited_s.min()) * case.ranks
    blocked_s = np.maximum(case.run.threads.data["blocked_outside_ns"] * 1e-9, 1e-12)
    own_s = np.minimum(longest_wait_s(case, BLOCKED), blocked_s)
    late_s = np.minimum(waited_s / blocked_s, 1.0) * (waited_for_s(case, BLOCKED) + own_s)
    blocked_for_s, in_kernel_s = max(everyone_s, float(late_s.sum())), float(_in_kernel_s(case).sum())
    if blocked_for_s + in_kernel_s < WORTH_NAMING * case.tables.ledger.wall_s:
        return None
    worst = int(np.argmax(waited_s))
    rank = case.tables.ranks[worst]
    faults = process_rises(case, "process.major_faults")
    evidence = (
        Evidence("waiting for pages", f"{float(waited_s.sum()):.2f} rank-seconds", "blocked, in page faults"),
        Evidence("the kernel looked for pages", f"{in_kernel_s:.2f} core-seconds", "system time outside MPI, files"),
        Evidence(f"pages fetched for rank {rank.rank}", f"{faults.get(worst, 0):,}", "getrusage: major faults"),
        *shortage,
    )
    says = (
        f"There was less memory than the job uses: the kernel took pages from the ranks, and had to read them back "
        f"from disk when they were used again, {faults.get(worst, 0):,} times for rank {rank.rank} on {rank.host}. The "
        f"rank waits for each."
    )
    return Suspicion({"blocked_s": blocked_for_s, "compute_s": in_kernel_s}, says, evidence, confidence=0.88)


def _waited_s(case: Case) -> NDArray[np.float64]:
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


def _in_kernel_s(case: Case) -> NDArray[np.float64]:
    """By process: system time of its main thread that page faults from disk explain."""
    faults = process_rises(case, "process.major_faults")
    explained_s = np.array([faults.get(process, 0) * KERNEL_FAULT_S for process in range(case.ranks)])
    result: NDArray[np.float64] = np.minimum(kernel_s(case), explained_s)
    return result


def _shortage(case: Case) -> Iterator[Evidence]:
    """What says that it is memory that is short, and not a mapped file that is read for the first time."""
    hits = max(process_rises(case, "process.cgroup_memory_hits").values(), default=0)
    if hits > FEWEST_HITS_A_S * case.wall_s:
        limits = (case.fact(f"process.cgroup_memory_{name}") for name in ("high_bytes", "bytes"))
        limit = min((int(each) for each in limits if each and each.isdecimal()), default=None)
        granted = f" of {q.bytes_(limit)}" if limit is not None else ""
        yield Evidence("the control group was full", f"{hits:,} times{granted}", "memory.events or memory.failcnt")
    for host in case.run.hosts:
        pages = host_rise(host, "memory.swapped_in_pages")
        if pages > FEWEST_PAGES_A_S * case.wall_s:
            yield Evidence(f"swapped in on {host.name}", f"{pages:,} pages", "/proc/vmstat: pswpin")
        stalled_s = host_rise(host, "pressure.memory_us") * 1e-6
        if stalled_s > WORTH_NAMING * case.wall_s:
            yield Evidence(f"a task on {host.name} waited for memory", q.seconds(stalled_s), "/proc/pressure/memory")
