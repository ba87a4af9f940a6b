"""Calls of a job that are alike, and how long they usually take: what differs from that has a cause of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base.distinct import distinct
from clearway.ledger.again.calls import JobCalls

FEWEST_CALLS = 10  # of a kind, to tell what is usual

_Seconds = NDArray[np.float64]
_Numbers = NDArray[np.int64]


def kinds(calls: JobCalls, by_process: bool = False) -> _Numbers:
    """By call: the number of those with its function, communicator and about its size, of any process or of its own."""
    size = np.where(calls.bytes > 0, np.log2(np.maximum(calls.bytes, 1)).astype(np.int64) + 1, 0)
    own = calls.process if by_process else np.zeros(len(calls), np.int64)
    return distinct(calls.function, calls.comm, size, own)[1]


def beyond_usual_s(calls: JobCalls, disturbed: float) -> _Seconds:
    """By call: what it moved data longer than such a call of its process does undisturbed.

    The share `disturbed` of the calls was: they are the longer ones, and the median of the others is what is usual.
    Those that were shorter are taken off: what is only uneven adds up to nothing.
    """
    moving_s = np.maximum(calls.transfer_s - calls.undivided_s, 0.0)
    moved = moving_s > 0
    result = np.zeros(len(calls))
    if not moved.any():
        return result
    _, kind = np.unique(kinds(calls, by_process=True)[moved], return_inverse=True)
    own_s = moving_s[moved]
    counts = np.bincount(kind)
    place = np.append(0, np.cumsum(counts)[:-1]) + (1 - disturbed) / 2 * (counts - 1)
    ordered_s = own_s[np.lexsort((own_s, kind))]
    usual_s = np.interp(place, np.arange(len(ordered_s)), ordered_s)
    longer_s = np.where(counts >= FEWEST_CALLS, 1.0, 0.0)[kind] * (own_s - usual_s[kind])
    beyond_s = np.maximum(longer_s, 0.0)
    net_s = np.maximum(np.bincount(kind, longer_s), 0.0)
    all_s = np.bincount(kind, beyond_s)
    result[moved] = beyond_s * np.divide(net_s, all_s, out=np.zeros_like(all_s), where=all_s > 0)[kind]
    return result
