"""What the lines of the ledger do not show: what children of the ranks did, and how long all prepared."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.other_programs import children_s
from clearway.run.layout import EventKind

CHILDREN_WORTH_SAYING = 0.05  # of the rank-seconds: a shell that was started takes less
MISSING_WINDOWS = 4  # of those that are kept, before the first of them
LONGER = 5.0  # times the longest pause between two later calls of a rank
LONG, LONG_S = 0.25, 2.0  # of the wall-clock, and at least: every program takes a moment


def by_children(case: Case) -> str:
    """Work that programs do which the ranks start is none of the ranks' threads'."""
    used_s, all_s = children_s(case, range(case.ranks)), case.tables.ledger.wall_s
    if all_s <= 0 or used_s < CHILDREN_WORTH_SAYING * all_s:
        return ""
    who = "the rank" if case.ranks == 1 else "ranks"
    return (
        f" Processes that {who} started (worker processes, other programs) computed for another {q.seconds(used_s)}, "
        f"{q.percent(used_s, all_s)} of that time, which is in none of the lines below."
    )


def before_calls(case: Case) -> str:
    """How long all ranks took until they first met, where they never took nearly as long again between two calls.

    Of a sample the first calls may be missing: that is left out. A step of a few long ones is no preparation.
    """
    run = case.run
    calls = np.flatnonzero(run.events.kind != EventKind.BEGUN)
    if case.ranks < 2 or not len(calls) or run.fact("predicted.by"):
        return ""
    calls = calls[np.lexsort((run.events.entry_s[calls], run.events.process[calls]))]
    process, entry_s, exit_s = (each[calls] for each in (run.events.process, run.events.entry_s, run.events.exit_s))
    numbers, first = np.unique(process, return_index=True)
    if len(numbers) < case.ranks:
        return ""
    sampled_s = MISSING_WINDOWS * (1 << run.event_level) * run.event_window_ms * 1e-3 if run.event_level > 0 else 0.0
    before_s = float((entry_s[first] - run.processes["begin_s"]).min()) - sampled_s
    pauses_s = (entry_s[1:] - exit_s[:-1])[process[1:] == process[:-1]]
    if before_s < max(LONG * case.wall_s, LONG_S, LONGER * float(pauses_s.max(initial=0.0))):
        return ""
    return (
        f" The first {q.seconds(before_s)} ({q.percent(before_s, case.wall_s)}) went by before any rank made an MPI "
        f"call with others: there programs usually load modules and libraries, read their input, and plan."
    )
