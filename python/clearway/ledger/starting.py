"""MPI_Init as a call like others: who came when, and how long each stood in it for a rank that had not come.

A record says when MPI_Init returned, and how long the call took; so when it was entered is known without an event.
MPIs that let a rank out of it before all have come make nobody wait: then nothing is booked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base.whole import is_whole
from clearway.run.layout import EventKind
from clearway.run.run import Run, to_seconds

INIT = ("MPI_Init", "MPI_Init_thread")
MOST_DIGITS = 9  # of a number of ranks
TOGETHER_S = 2e-3  # one that left so much before the last came is not known to have left before it


@dataclass(frozen=True)
class Starting:
    """By process index, seconds of the Run; NaN where a process did not come to MPI_Init."""

    entry_s: NDArray[np.float64]
    exit_s: NDArray[np.float64]  # the record's end where it did not return
    wait_s: NDArray[np.float64]  # part of the call, never NaN


def launched_size(run: Run) -> int:
    """How many ranks there are, as the launcher told them; 0 where it did not, or where one got through MPI_Init."""
    if (run.processes["world_size"] > 0).any():
        return 0
    told = run.fact("process.launched_size").values()
    return max((int(size) for size in told if is_whole(size) and len(size) < MOST_DIGITS), default=0)


def starting(run: Run) -> Starting:
    """When each process was in MPI_Init. Nothing is known of those that called it several times, or never."""
    exit_s = _returned_s(run)
    entry_s = exit_s - _duration_s(run)
    inside = run.functions.named(*INIT)[run.main_call]
    entry_s[inside] = np.maximum(
        to_seconds(run.processes[inside], run.threads.data["call_entry_ticks"][inside]),
        run.processes["recording_s"][inside],
    )
    exit_s[inside] = run.processes["end_s"][inside]
    came = ~np.isnan(entry_s)
    wait_s = np.zeros(len(entry_s))
    absent = inside.any() and not (came.all() and launched_size(run) <= len(came))
    if came.sum() > 1 and run.processes["aligned"][came].all():
        # While a rank has not come, all others wait: to the ends of their records.
        last_s = np.inf if absent else float(entry_s[came].max())
        if inside[came].all() or exit_s[came].min() >= last_s - TOGETHER_S:
            wait_s[came] = np.clip(np.minimum(last_s, exit_s[came]) - entry_s[came], 0.0, None)
    elif absent:
        wait_s[inside] = np.clip(exit_s[inside] - entry_s[inside], 0.0, None)
    return Starting(entry_s, exit_s, wait_s)


@dataclass(frozen=True)
class Latest:
    """The process that came last to MPI_Init."""

    process: int
    late_s: float  # after the median of the others
    started_s: float  # the part of it by which the process itself began later
    longer_s: dict[str, float]  # and by line of the ledger what it did meanwhile: more than the median of the others
    loading_s: float  # the part of other_s before its record began: blocked or without a core, which nothing tells


def latest(run: Run, ledger: NDArray[np.void], begins: Starting, lines: Collection[str]) -> Latest | None:
    """None where nobody waited for it, or where it has not come, or has no record."""
    came_s = begins.entry_s
    if len(came_s) < 2 or np.isnan(came_s).any() or not begins.wait_s.any():
        return None
    process = int(np.argmax(came_s))
    late_s = max(_more(came_s, process), 0.0)
    started_s = min(max(_more(run.processes["begin_s"], process), 0.0), late_s)
    done_s = _before_init_s(run, begins)
    if done_s is None:
        # Lines are of the whole job. What it did most of beyond the others is taken to be what made it late here.
        done_s = {line: ledger[line] for line in lines}
    more_s = {line: max(_more(done_s[line], process), 0.0) for line in lines if line in done_s}
    left_s = late_s - started_s
    longer_s = dict.fromkeys(lines, 0.0)
    for line in sorted(more_s, key=lambda line: -more_s[line]):
        longer_s[line] = min(more_s[line], left_s)
        left_s -= longer_s[line]
    loading_s = max(_more(run.processes["recording_s"] - run.processes["begin_s"], process), 0.0)
    return Latest(process, late_s, started_s, longer_s, min(loading_s, longer_s.get("other_s", 0.0)))


def _before_init_s(run: Run, begins: Starting) -> Mapping[str, NDArray[np.float64]] | None:
    """By line of the ledger, what each process did before it came to MPI_Init; None where its events do not tell.

    Before the record begins a process is started: blocked.
    """
    events, processes = run.events, run.processes
    told = np.flatnonzero(events.kind == EventKind.BEGUN)
    if len(np.unique(events.process[told])) < len(processes):
        return None
    core_wait_s, io_s, blocked_s = (np.zeros(len(processes)) for _ in range(3))
    for sums_s, column in (
        (core_wait_s, events.run_delay_before_s),
        (io_s, events.io_before_s),
        (blocked_s, events.blocked_before_s),
    ):
        np.add.at(sums_s, events.process[told], column[told])
    other_s = blocked_s + processes["recording_s"] - processes["begin_s"]
    computed_s = np.maximum(begins.entry_s - processes["begin_s"] - core_wait_s - io_s - other_s, 0.0)
    return {"compute_s": computed_s, "core_wait_s": core_wait_s, "io_s": io_s, "other_s": other_s}


def _more(seconds: NDArray[np.float64], process: int) -> float:
    return float(seconds[process] - np.median(np.delete(seconds, process)))


def _returned_s(run: Run) -> NDArray[np.float64]:
    ticks = np.array([int(record.header["mpi_begin"]["ticks"]) for record in run.records], np.uint64)
    return np.where(ticks > 0, to_seconds(run.processes, ticks), np.nan)


def _duration_s(run: Run) -> NDArray[np.float64]:
    time_s, number = time_in_s(run, *INIT)
    return np.where(number == 1, time_s, np.nan)


def time_in_s(run: Run, *names: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """By process: how long the main thread was in calls of these names that returned, and how many they were."""
    calls = run.calls
    mine = calls.main & run.functions.named(*names)[calls.function]
    process = calls.process[mine]
    number = np.bincount(process, calls.data["count"][mine].astype(np.float64), minlength=len(run.processes))
    time_s = np.bincount(process, run.seconds(process, calls.data["ticks"][mine]), minlength=len(run.processes))
    return time_s.astype(np.float64), number.astype(np.float64)
