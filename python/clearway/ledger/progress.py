"""When a process comes to MPI again: most MPIs take in the data of others only while the process is in a call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import NO_WAIT
from clearway.run.run import Run


def when_it_came(run: Run, target: int, calls: NDArray[np.int64]) -> NDArray[np.float64]:
    """The target's next entry after that of each call, where it was outside MPI; NO_WAIT where it was not needed."""
    events = run.events
    own = np.flatnonzero(events.process == target)
    own = own[np.argsort(events.entry_s[own], kind="stable")]
    if not len(own):
        return np.full(len(calls), NO_WAIT)
    entry_s, left_s = events.entry_s[own], np.maximum.accumulate(events.exit_s[own])
    begin_s, end_s = events.entry_s[calls], events.exit_s[calls]
    following = np.searchsorted(entry_s, begin_s, side="right")
    outside = (following == 0) | (left_s[np.maximum(following - 1, 0)] <= begin_s)
    came_s = entry_s[np.minimum(following, len(own) - 1)]
    waited = outside & (following < len(own)) & (came_s <= end_s)
    return np.where(waited, came_s, NO_WAIT)
