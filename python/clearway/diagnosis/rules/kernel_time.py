"""Much of what looks like computing is the kernel's work: system calls, page faults, signals."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.file_time import NO_FILES, claims, shares
from clearway.diagnosis.facts.kernel_time import kernel_s
from clearway.diagnosis.facts.page_faults import churn_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program keeps the operating system busy"
REMEDIES = ()
LEAST = 0.05  # of the wall-clock: starting and loading libraries take some in every program


def examine(case: Case) -> Suspicion | None:
    return _computing(case) or _asked(case)


def _asked(case: Case) -> Suspicion | None:
    """Claims what it takes to read what the kernel says of itself: it makes that anew each time."""
    share = shares(case).kernel
    claimed = claims(case, share)
    if sum(claimed.values()) < LEAST * case.tables.ledger.wall_s:
        return None
    rows = [file for file in case.tables.files if file.path in NO_FILES]
    read, calls = sum(file.bytes_read for file in rows), sum(file.calls for file in rows)
    says = (
        f"Ranks read {q.bytes_(read)} from {' and '.join(file.path for file in rows)}, with {calls:,} calls. No disk "
        f"has that: the kernel makes it at each read. For `/proc/self/smaps`, `smaps_rollup` and `numa_maps` it looks "
        f"at each page that the process has, and holds up what else it asks of its memory. Ask less often; for how "
        f"much memory a process has, `/proc/self/statm` and `status` are enough (psutil: `memory_info` instead of "
        f"`memory_full_info`)."
    )
    evidence = (
        Evidence(
            "reading that", f"{case.tables.ledger.io_s * share:.2f} rank-seconds", "ledger: file I/O, a part of it"
        ),
        Evidence("calls", f"{calls:,}, {q.bytes_(read)}", "file functions"),
    )
    return Suspicion(claimed, says, evidence, 0.92, "Ranks ask the operating system about itself all the time")


def _computing(case: Case) -> Suspicion | None:
    """Claims computing: what the kernel took of all ranks, at least, without page faults of memory given back.

    These have a rule of their own (memory-churn).
    """
    spent_s = kernel_s(case)
    all_s, wall_s = float(spent_s.sum()) - churn_s(case), float(case.tables.ledger.wall_s)
    if wall_s <= 0 or all_s < LEAST * wall_s:
        return None
    most = int(spent_s.argmax())
    rank = case.tables.ranks[most]
    computing_s = float(case.books.ledger["compute_s"].sum())
    says = (
        f"Outside MPI and files, {q.percent(all_s, computing_s)} of the time that the ranks seemed to compute was the "
        f"operating system's: system calls, page faults, signals. To see which, let `strace -c -f -p PID` (or `perf "
        f"trace -s -p PID`) look at one rank for ten seconds. Usual causes: asking for the local time with TZ unset, "
        f"random numbers from the kernel, searching for files, allocating and freeing memory, timers, waking"
        f" threads for short pieces of work."
    )
    faults = process_rises(case, "process.minor_faults")
    evidence = (
        Evidence("in the kernel, outside MPI and files", f"at least {all_s:.2f} core-seconds", "kernel: system time"),
        Evidence(f"of rank {rank.rank} on {rank.host}", q.seconds(float(spent_s[most])), "kernel: system time"),
        Evidence("its page faults", q.count(faults.get(most, 0)), "getrusage"),
    )
    return Suspicion({"compute_s": min(all_s, case.losses.compute_s)}, says, evidence, confidence=0.5)
