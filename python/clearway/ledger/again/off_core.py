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
    """By call: how long a rank may have held it up that was without a core, at most, and which call that was: another
    one of the same message or collective, after both were ready, or itself. Of several the one that did so the longest.

    `call_of`: the call of each event, negative where there is none. When within its call a rank was off the core no
    record tells, so it may have been while the other went on. Of its own run delay counts what is not `core_wait_s`.
    """
    off_core_s = np.maximum(run_delay_s, core_wait_s)
    held_s, holder = off_core_s - core_wait_s, np.arange(len(ready_s))
    call, other = np.concatenate([_ends(messages, call_of), _members(collectives, call_of, off_core_s)], axis=1)
    both_s = np.minimum(exit_s[call], exit_s[other]) - np.maximum(ready_s[call], ready_s[other])
    each_s = np.minimum(off_core_s[other], both_s)
    order = np.argsort(each_s, kind="stable")
    order = order[each_s[order] > held_s[call[order]]]
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
