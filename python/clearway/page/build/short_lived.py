"""Threads that the program starts again and again: each is gone when the recorder looks the next time."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.run.layout import NOT_OF_PROGRAM, THREAD_GONE

MOMENTS = 6  # at which such threads were seen; a program may start a few when it begins
SPREAD = 0.5  # of the wall-clock, from the first of these moments to the last
SHORT_S = 0.005  # of processor time: who works longer for a task is no cost of starting


def short_lived(case: Case) -> list[str]:
    """A note, for the process with the most of them. How many there were between two looks nobody knows."""
    rows, uses = case.run.thread_uses, case.run.thread_uses.data
    once = (uses["first_ticks"] == uses["last_ticks"]) & (uses["flags"] & THREAD_GONE != 0)
    mine = once & (uses["flags"] & (NOT_OF_PROGRAM & ~THREAD_GONE) == 0) & (uses["cpu_ns"] < SHORT_S * 1e9)
    seen = np.bincount(rows.process[mine], minlength=case.ranks)
    process = int(seen.argmax()) if len(seen) else 0
    at_s = case.run.seconds(rows.process, uses["first_ticks"])[mine & (rows.process == process)]
    if len(np.unique(at_s)) < MOMENTS or np.ptp(at_s) < SPREAD * case.wall_s:
        return []
    rank, moments = case.tables.ranks[process].rank, len(np.unique(at_s))
    says = (
        f"Rank {rank} starts threads again and again: {q.count(len(at_s))} were seen, at {moments} moments, that were "
        f"gone the next time. Starting one takes tens of microseconds. Usual causes: parallel regions inside others "
        f"(`OMP_MAX_ACTIVE_LEVELS=1` keeps these in one thread, unless the program itself asks for more), a thread for "
        f"each piece of work (`std::thread`, `std::async`), or a pool that is made for each task. Start the threads "
        f"once, and let each do many pieces. No finding counts what that costs."
    )
    return [says]
