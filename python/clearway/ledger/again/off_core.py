"""Whom a rank without a core kept from going on in a call, itself included: what they took there for moving data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.run.pairing import Collectives, Messages

_Seconds = NDArray[np.float64]
_Numbers = NDArray[np.int64]


def held_off_core(
    messages: Messages,
    collectives: Collectives,
    call_of: _Numbers,
    ready_s: _Seconds,
    exit_s: _Seconds,
    core_wait_s: _Seconds,
    run_delay_s: _Seconds,
) -> tuple[_Seconds, _Numbers]:
    """As `held_by_others`, or by the call's own rank: of its run delay, what is not known as `core_wait_s`."""
    off_core_s = np.maximum(run_delay_s, core_wait_s)
    held_s, holder = held_by_others(messages, collectives, call_of, ready_s, exit_s, off_core_s)
    own_s = off_core_s - core_wait_s
    is_own = own_s > held_s
    return np.where(is_own, own_s, held_s), np.where(is_own, np.arange(len(own_s)), holder)


def held_by_others(
    messages: Messages,
    collectives: Collectives,
    call_of: _Numbers,
    ready_s: _Seconds,
    exit_s: _Seconds,
    core_wait_s: _Seconds,
) -> tuple[_Seconds, _Numbers]:
    """By call: how long another one of the same message or collective was without a core after both were ready, at
    most, and which call that was; of several the one that was so the longest.

    `call_of`: the call of each event, negative where there is none. When within its call a rank was off the core no
    record tells, so it may have been while the other went on.
    """
    held_s, holder = np.zeros(len(ready_s)), np.zeros(len(ready_s), np.int64)
    call, other = np.concatenate([_ends(messages, call_of), _members(collectives, call_of, core_wait_s)], axis=1)
    both_s = np.minimum(exit_s[call], exit_s[other]) - np.maximum(ready_s[call], ready_s[other])
    each_s = np.minimum(core_wait_s[other], both_s)
    order = np.argsort(each_s, kind="stable")
    order = order[each_s[order] > 0]
    held_s[call[order]], holder[call[order]] = each_s[order], other[order]  # of a call's several, the last remains
    return held_s, holder


def _ends(messages: Messages, call_of: _Numbers) -> _Numbers:
    """Each end of each message, and its other end."""
    send, receive = call_of[messages.sends], call_of[messages.receives]
    known = (send >= 0) & (receive >= 0)
    send, receive = send[known], receive[known]
    return np.array([np.append(send, receive), np.append(receive, send)])


def _members(collectives: Collectives, call_of: _Numbers, core_wait_s: _Seconds) -> _Numbers:
    """Each member of each collective, and the one of the others that was off the core for the longest."""
    call = call_of[collectives.events]
    known = call >= 0
    call, instance = call[known], collectives.instance[known]
    order = np.lexsort((core_wait_s[call], instance))
    call, instance = call[order], instance[order]
    last = np.append(np.diff(instance) != 0, True)[: len(call)]
    first = np.append(True, np.diff(instance) != 0)[: len(call)]
    ends = np.flatnonzero(last)
    longest = call[np.repeat(ends, np.diff(np.append(np.flatnonzero(first), len(call))))]
    second = call[np.maximum(np.arange(len(call)) - 1, 0)]
    is_alone = first & last
    return np.array([call[~is_alone], np.where(last, second, longest)[~is_alone]])
