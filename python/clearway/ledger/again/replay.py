"""Runs the calls of a job again with other durations: who would have waited how long, and when would it have ended?

Each process goes through its calls in the recorded order. It enters a call when what it did before is done, waits in it
until all that the call needs have entered theirs, and leaves it after what the call itself takes. Dimemas replays
traces in this way (Girona, Labarta, Badia 2000, doi 10.1007/3-540-45255-9_9); here what a call takes is the recorded
one, changed or not, and no network is modelled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_library
from clearway.ledger.again.calls import JobCalls
from clearway.ledger.timelines import CORE_WAIT, DOING, WAIT

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Durations:
    """What the processes do before and in each call; waiting comes of it."""

    outside_s: _Seconds  # calls x DOING
    transfer_s: _Seconds
    stall_s: _Seconds
    core_wait_s: _Seconds


@dataclass(frozen=True, slots=True)
class Replayed:
    wait_s: _Seconds  # by call
    end_s: _Seconds  # by process: when it has done its last call; of stretches, the last one


def recorded(calls: JobCalls) -> Durations:
    """As they were."""
    return Durations(calls.outside_s, calls.transfer_s, calls.stall_s, calls.core_wait_s)


def with_core_wait(calls: JobCalls, stays: Sequence[float], held: bool) -> Durations:
    """Where of each process's waiting for a core only this part is left. `held`: and of what a rank without a core may
    have held up in a call.
    """
    part = np.array(stays)[calls.process] if len(calls) else np.zeros(0)
    outside_s, transfer_s = calls.outside_s.copy(), calls.transfer_s
    outside_s[:, CORE_WAIT] *= part
    if held and len(calls):
        transfer_s = transfer_s - calls.off_core_s * (1.0 - np.array(stays)[calls.off_core])
    return Durations(outside_s, transfer_s, calls.stall_s, calls.core_wait_s * part)


def replay(calls: JobCalls, durations: Durations) -> Replayed:
    """Runs all stretches, each by itself: native/job_replay/, for a job has millions of calls. Raises ClearwayError."""
    before_s = durations.outside_s.sum(axis=1)
    after_s = durations.transfer_s + durations.stall_s + durations.core_wait_s
    wait_s, end_s = np.zeros(len(calls)), np.zeros(calls.processes)
    columns = (
        (calls.first, np.int64),
        (calls.begins, np.uint8),
        (calls.clock_s, np.float64),
        (before_s, np.float64),
        (calls.kept_wait_s, np.float64),
        (after_s, np.float64),
        (calls.needs.first, np.int64),
        (calls.needs.values, np.int64),
        (calls.meetings.first, np.int64),
        (calls.meetings.values, np.int64),
        (wait_s, np.float64),
        (end_s, np.float64),
    )
    laid_out = [np.ascontiguousarray(column, kind) for column, kind in columns]  # kept until the call is over
    job = _Job(calls.processes, len(calls), len(calls.meetings), *(column.ctypes.data for column in laid_out))
    if not _library().clearway_replay(ctypes.byref(job)):
        raise ClearwayError(f"not enough memory to replay the {len(calls)} recorded calls", "do it where there is more")
    return Replayed(wait_s, end_s)


class _Job(ctypes.Structure):
    """As native/job_replay/replay.cpp has it."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("processes", "calls", "meetings")),
        *((name, ctypes.c_void_p) for name in ("first", "begins", "clock_s", "before_s", "kept_wait_s", "after_s")),
        *((name, ctypes.c_void_p) for name in ("needs_first", "needs", "members_first", "members", "wait_s", "end_s")),
    )


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(find_library("libclearway-replay.so")))
    library.clearway_replay.restype = ctypes.c_bool
    return library


def lines(calls: JobCalls, durations: Durations, replayed: Replayed) -> _Seconds:
    """Processes x DOING: seconds of each kind, in all stretches."""
    done_s = durations.outside_s.copy()
    for doing, column in (("transfer", durations.transfer_s), ("stall", durations.stall_s)):
        done_s[:, DOING.index(doing)] += column
    done_s[:, DOING.index("core_wait")] += durations.core_wait_s
    done_s[:, WAIT] += replayed.wait_s
    columns = [np.bincount(calls.process, column, minlength=calls.processes) for column in done_s.T]
    result: _Seconds = np.stack(columns, axis=1)
    return result
