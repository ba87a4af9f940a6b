"""Much of what looks like computing is the kernel's work: system calls, page faults, signals."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.kernel_time import kernel_s
from clearway.diagnosis.facts.page_faults import churn_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program keeps the operating system busy"
REMEDIES = ()
LEAST = 0.05  # of the wall-clock: starting and loading libraries take some in every program


def examine(case: Case) -> Suspicion | None:
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
        f"random numbers from the kernel, searching for files, allocating and freeing memory, timers."
    )
    faults = process_rises(case, "process.minor_faults")
    evidence = (
        Evidence("in the kernel, outside MPI and files", f"at least {all_s:.2f} core-seconds", "kernel: system time"),
        Evidence(f"of rank {rank.rank} on {rank.host}", q.seconds(float(spent_s[most])), "kernel: system time"),
        Evidence("its page faults", q.count(faults.get(most, 0)), "getrusage"),
    )
    return Suspicion({"compute_s": min(all_s, case.losses.compute_s)}, says, evidence, confidence=0.5)
