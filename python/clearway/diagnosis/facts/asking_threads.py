"""Threads of the program, beside the main one, that ask for messages all the time: progress threads of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.run.layout import NOT_OF_PROGRAM, FunctionClass

BUSY = 0.05  # of the wall-clock: one that sleeps between two looks takes less
# Of the time for which the program's other threads can run, in these calls. A call that finds nothing takes no longer
# than its recording and the loop around it, so this is most of it; threads with other work besides are below.
MOSTLY = 0.2


def asking_threads_s(case: Case) -> NDArray[np.float64]:
    """By process: core-seconds of one such thread, at most; 0 where those beside the main one mostly compute.

    Which of several threads asked is not on record. So the busiest stands for it: the others may be those that compute.
    """
    rows, threads = case.run.thread_uses, case.run.threads.data
    other = rows.data["tid"] != threads["tid"][rows.process]
    chosen = other & (rows.data["flags"] & NOT_OF_PROGRAM == 0)
    spent_s = _by_process(case, rows.process[chosen], rows.data["cpu_ns"][chosen] * 1e-9)
    ready_s = spent_s + _by_process(case, rows.process[chosen], rows.data["run_delay_ns"][chosen] * 1e-9)
    ask = (spent_s > BUSY * case.wall_s) & (_asked_s(case) > MOSTLY * ready_s)
    busiest_s = np.zeros(case.ranks)
    np.maximum.at(busiest_s, rows.process[chosen], rows.data["cpu_ns"][chosen] * 1e-9)
    asking_s: NDArray[np.float64] = np.where(ask, busiest_s, 0.0)
    return asking_s


def looks(case: Case) -> int:
    """How often they did, in all processes."""
    return int(case.run.calls.data["count"][_looking(case)].sum())


def _asked_s(case: Case) -> NDArray[np.float64]:
    """By process, in calls that return at once (MPI_Test, MPI_Iprobe) of threads beside the main one."""
    calls, looking = case.run.calls, _looking(case)
    return _by_process(
        case, calls.process[looking], case.run.seconds(calls.process[looking], calls.data["ticks"][looking])
    )


def _looking(case: Case) -> NDArray[np.bool_]:
    calls = case.run.calls
    looking: NDArray[np.bool_] = (case.run.functions.classes()[calls.function] == FunctionClass.POLL) & ~calls.main
    return looking


def _by_process(case: Case, process: NDArray[np.int32], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(process, seconds, minlength=case.ranks).astype(np.float64)
