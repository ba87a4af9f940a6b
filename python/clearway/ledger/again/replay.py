"""Runs the calls of a job again with other durations: who would have waited how long, and when would it have ended?

Each process goes through its calls in the recorded order. It enters a call when what it did before is done, waits in it
until all that the call needs have entered theirs, and leaves it after what the call itself takes. Dimemas replays
traces in this way (Girona, Labarta, Badia 2000, doi 10.1007/3-540-45255-9_9); here what a call takes is the recorded
one, changed or not, and no network is modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    """Runs all stretches, each by itself. Time: some microseconds a call."""
    before_s = durations.outside_s.sum(axis=1).tolist()
    after_s = (durations.transfer_s + durations.stall_s + durations.core_wait_s).tolist()
    kept_s, begins, clock_s = calls.kept_wait_s.tolist(), calls.begins.tolist(), calls.clock_s.tolist()
    needs, first = calls.needs, calls.first.tolist()
    count = len(calls)
    entered_s: list[float] = [0.0] * count + [-np.inf] * len(calls.meetings)  # of meetings: the last so far
    missing = [1] * count + [len(members) for members in calls.meetings]
    comes_to: list[list[int]] = [[] for _ in range(count)]  # meetings of each call
    for number, members in enumerate(calls.meetings, start=count):
        for member in members:
            comes_to[member].append(number)
    waiting: dict[int, list[int]] = {}  # processes by what they wait for
    wait_s = [0.0] * count
    at, now_s, inside = first[:-1], [0.0] * calls.processes, [False] * calls.processes
    ready = list(range(calls.processes))
    while ready:
        process = ready.pop()
        call = at[process]
        while call < first[process + 1]:
            if not inside[process]:
                inside[process] = True
                entry_s = (clock_s[call] if begins[call] else now_s[process]) + before_s[call]
                now_s[process] = entered_s[call] = entry_s
                missing[call] = 0
                if call in waiting:
                    ready += waiting.pop(call)
                for meeting in comes_to[call]:
                    missing[meeting] -= 1
                    entered_s[meeting] = max(entered_s[meeting], entry_s)
                    if not missing[meeting] and meeting in waiting:
                        ready += waiting.pop(meeting)
            blocks = next((need for need in needs[call] if missing[need]), None)
            if blocks is not None:
                waiting.setdefault(blocks, []).append(process)
                break
            entry_s = now_s[process]
            wait_s[call] = max([0.0, *(entered_s[need] - entry_s for need in needs[call])]) + kept_s[call]
            now_s[process] = entry_s + wait_s[call] + after_s[call]
            inside[process] = False
            call += 1
            at[process] = call
        if not ready and waiting:
            # Clocks that differ may tell of a circle. Who waits there goes on: what it needs has no instant yet.
            need, processes = waiting.popitem()
            missing[need], ready = 0, processes
            entered_s[need] = max(entered_s[need], -np.inf) if need >= count else -np.inf
    return Replayed(np.array(wait_s), np.array(now_s))


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
