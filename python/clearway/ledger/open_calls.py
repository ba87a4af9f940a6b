"""The MPI calls in which a record ends: nobody left them, so no event and no cell has their time.

Only the function is known, not the communicator and not the partner. So little is said: a rank that came to a
collective call before another, or that still has no message after OPEN_LONG_S though nobody is sending, waits.
What else there is stays undivided.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.collectives import OVER_WINDOW
from clearway.ledger.stalls import Intervals, overlap_s
from clearway.run.layout import FunctionClass
from clearway.run.run import Run, to_seconds

OPEN_LONG_S = 1.0  # shorter ones are what any moment of a running job finds it in
FOR_A_MESSAGE = (FunctionClass.RECEIVE, FunctionClass.SEND_RECEIVE, FunctionClass.WAIT, FunctionClass.PROBE)
TOGETHER = (FunctionClass.COLLECTIVE, FunctionClass.COMMUNICATOR)
SENDING = (FunctionClass.SEND, FunctionClass.SEND_RECEIVE)
UNDIVIDED = (FunctionClass.LIFE, FunctionClass.MPI_IO)  # are no moving of data, whatever they wait for


@dataclass(frozen=True)
class OpenCalls:
    """By process index; 0 where its main thread is in no call."""

    since_s: NDArray[np.float64]  # on the Run's axis
    time_s: NDArray[np.float64]
    wait_s: NDArray[np.float64]  # part of time_s
    stall_s: NDArray[np.float64]  # likewise


def open_calls(run: Run, stalls: Intervals) -> OpenCalls:
    processes, function = run.processes, run.main_call
    entry_s = to_seconds(processes, run.threads.data["call_entry_ticks"])
    since_s = np.maximum(entry_s, processes["recording_s"])
    time_s = np.where(function > 0, np.clip(processes["end_s"] - since_s, 0.0, None), 0.0)
    until_s = _waits_until(run, since_s, time_s)
    stall_s = np.zeros(len(processes))
    for process, intervals in stalls.items():
        if time_s[process] > 0:
            ends = np.array([since_s[process]]), processes["end_s"][process : process + 1]
            stall_s[process] = overlap_s(intervals, *ends)[0]
    classes = run.functions.classes()[function]
    stall_s[np.isin(classes, UNDIVIDED)] = 0.0
    wait_s = np.clip(np.minimum(until_s - since_s, time_s - stall_s), 0.0, None)
    return OpenCalls(np.where(function > 0, since_s, 0.0), time_s, wait_s, stall_s)


def _waits_until(run: Run, since_s: NDArray[np.float64], time_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """When the call had what it waited for; the record's end where it never had."""
    classes, function = run.functions.classes()[run.main_call], run.main_call
    end_s, until_s = run.processes["end_s"], since_s.copy()
    long = time_s > OPEN_LONG_S
    together = len(set(function.tolist())) == 1 and len(run.processes) == int(run.processes["world_size"].max())
    collective = long & (np.isin(classes, TOGETHER) | run.functions.named(*OVER_WINDOW)[run.main_call])
    until_s[collective] = np.minimum(since_s.max(), end_s[collective]) if together else end_s[collective]
    if not (np.isin(classes, SENDING) & (time_s > 0)).any():
        message = long & np.isin(classes, FOR_A_MESSAGE)
        until_s[message] = end_s[message]
    return until_s
