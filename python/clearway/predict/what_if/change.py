"""What is to be otherwise, and what that makes of the durations of a job's calls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.again.calls import JobCalls
from clearway.ledger.again.kinds import kinds
from clearway.ledger.again.latency import Latency, shortened
from clearway.ledger.again.replay import Durations, recorded, with_core_wait
from clearway.ledger.timelines import COMPUTE, CORE_WAIT, IO
from clearway.predict.what_if.sharing import Sharing, waiting_for_cores

FEWEST_FOR_A_FLOOR = 20  # calls of one kind
FLOOR = 0.05  # the share of them that was as fast

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """Each part by itself, or several at once."""

    no_transfer: bool = False  # messages take no time
    no_stalls: bool = False  # no packet is lost
    sooner_s: _Seconds | None = field(default=None, compare=False)  # by call, at best: facts/lossless.py
    latency: Latency | None = None  # another one between hosts
    balance: bool = False  # all ranks compute equally long between two calls in which all come together
    no_files: bool = False
    core_wait: tuple[float, ...] | None = None  # by process: the part of the waiting for a core that stays
    sharing: tuple[Sharing, ...] = ()  # ranks that wait for cores anew, because others no longer wait for messages
    others: tuple[float, ...] = ()  # by process, with `sharing`: the part of its waiting for a core that others cause
    ideal: bool = True  # as much as it can give; else as much as it gives for sure


def changed(calls: JobCalls, change: Change) -> Durations:
    """Durations under a change.

    What is not ideal leaves of a network what the fastest calls of the same kind took, and of an uneven load what was
    uneven now and then but evens out over the whole job; ranks that share cores then share half of them.
    """
    stays = change.core_wait
    durations = recorded(calls) if stays is None else with_core_wait(calls, stays, held=change.ideal)
    outside_s, core_wait_s = durations.outside_s.copy(), durations.core_wait_s
    if change.balance:
        outside_s[:, COMPUTE] = _even(calls, outside_s[:, COMPUTE], change.ideal)
    if change.no_files:
        outside_s[:, IO] = 0.0
    if change.no_transfer and change.ideal and change.sharing:
        # A rank that waits for data wants a core now and then: it waits for one no longer than for the data, as a rule.
        core_wait_s = np.maximum(core_wait_s - calls.transfer_s - calls.stall_s, 0.0)
    for one in change.sharing:
        outside_s[:, CORE_WAIT], core_wait_s = _shared(calls, one, outside_s, core_wait_s, change)
    durations = replace(durations, outside_s=outside_s, core_wait_s=core_wait_s)
    if change.latency:
        transfer_s = shortened(durations.transfer_s, calls.undivided_s, calls.rounds, change.latency, change.ideal)
        durations = replace(durations, transfer_s=transfer_s)
    if change.no_stalls or change.no_transfer:
        durations = replace(durations, stall_s=np.zeros(len(calls)))
    if change.sooner_s is not None and change.ideal:
        durations = replace(durations, transfer_s=np.maximum(durations.transfer_s - change.sooner_s, 0.0))
    if change.no_transfer:
        least_s = np.zeros(len(calls)) if change.ideal else np.maximum(fastest_s(calls), calls.undivided_s)
        durations = replace(durations, transfer_s=np.minimum(durations.transfer_s, least_s))
    return durations


def fastest_s(calls: JobCalls) -> _Seconds:
    """By call: what the fastest of the same function, communicator and about the same size took for moving data.

    The network was idle then, and the cost of the MPI itself is in it. Of kinds with few calls: what each took.
    """
    kind = kinds(calls)
    order = np.lexsort((calls.transfer_s, kind))
    counts = np.bincount(kind)
    first = np.append(0, np.cumsum(counts)[:-1])
    place = first + (FLOOR * counts).astype(np.int64)
    least_s = calls.transfer_s[order][np.minimum(place, len(order) - 1)]
    result: _Seconds = np.where(counts[kind] >= FEWEST_FOR_A_FLOOR, least_s[kind], calls.transfer_s)
    return result


def _shared(
    calls: JobCalls, sharing: Sharing, outside_s: _Seconds, core_wait_s: _Seconds, change: Change
) -> tuple[_Seconds, _Seconds]:
    """Waiting for a core before and in each call: of these ranks as they would share, of the others as it was.

    What programs outside the job cause of it stays: they do not go because a network is faster.
    """
    epoch = _epochs(calls)
    shape = (int(epoch.max(initial=-1)) + 1, calls.processes)
    key = epoch * calls.processes + calls.process
    mine = np.isin(calls.process, sharing.processes)

    def by_epoch(column: _Seconds) -> _Seconds:  # these ranks x epochs
        sums: _Seconds = np.bincount(key, column, minlength=shape[0] * shape[1]).astype(np.float64)
        return sums.reshape(shape)[:, sharing.processes].T

    compute_s = by_epoch(outside_s[:, COMPUTE])
    keep: _Seconds | float = 1.0
    if change.ideal:
        more_s = waiting_for_cores(compute_s, sharing.processors)
        keep = np.array(change.others or [0.0] * calls.processes)[calls.process]
    else:
        at_worst_s = waiting_for_cores(compute_s, max(sharing.processors // 2, 1))
        more_s = np.maximum(at_worst_s - by_epoch(outside_s[:, CORE_WAIT] + core_wait_s), 0.0)
    part = np.zeros(shape)
    part[:, sharing.processes] = np.divide(more_s, compute_s, out=np.zeros_like(more_s), where=compute_s > 0).T
    kept = np.where(mine, keep, 1.0)
    return outside_s[:, CORE_WAIT] * kept + outside_s[:, COMPUTE] * part.reshape(-1)[key], core_wait_s * kept


def _even(calls: JobCalls, compute_s: _Seconds, every_time: bool) -> _Seconds:
    """Computing by call with as much for each process: between two meetings of all, or in the whole job."""
    processes = calls.processes
    epoch = _epochs(calls) if every_time else np.zeros(len(calls), np.int64)
    key = epoch * processes + calls.process
    epochs = int(epoch.max(initial=-1)) + 1
    own_s = np.bincount(key, compute_s, minlength=epochs * processes)
    mean_s = np.repeat(own_s.reshape(epochs, processes).mean(axis=1), processes)
    factor = np.divide(mean_s, own_s, out=np.zeros_like(own_s), where=own_s > 0)
    even_s: _Seconds = compute_s * factor[key]
    # One that did not compute at all would have done so before its first call there.
    _, first = np.unique(key, return_index=True)
    idle = first[own_s[key[first]] <= 0]
    even_s[idle] += mean_s[key[idle]]
    return even_s


def _epochs(calls: JobCalls) -> NDArray[np.int64]:
    """By call: how many calls in which all come together its process has left before, over all stretches."""
    met = np.append(0, np.cumsum(calls.all_meet)[:-1]) if len(calls) else np.zeros(0, np.int64)
    start = met[np.minimum(calls.first[:-1], len(calls) - 1)] if len(calls) else met
    return met - start[calls.process]
