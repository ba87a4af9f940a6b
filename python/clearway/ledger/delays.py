"""Why ranks had to be waited for: each wait charged to what the late rank did longer than the one that waits.

Both had last come together at some instant: when the one that waits had left the call before of the same kind, with
the same partner. Until it waits again it did some things; until the late one comes at last, that did more: the
difference is exactly the wait. What the late rank did longer is the cause (computing, files, blocked, no core, moving
data, standing still for a timeout); where it had itself waited longer, the cause is that of its own waits.

These are the delay costs of Boehme, Geimer, Wolf, Arnold 2010 (doi 10.1109/ICPP.2010.18), short-term and along chains
of ranks, from sampled events in place of a full trace: what no event tells of is not charged here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.divisible_calls import Units
from clearway.ledger.timelines import DOING, UNKNOWN, WAIT, begins_s, timelines
from clearway.run.common_clock import SYNCHRONISING
from clearway.run.run import Run

MOST_WAITS = 200_000  # the longest: the others are charged like these
ROUNDS = 4  # ranks in a chain that wait for each other, beyond the first
NOBODY = -1
MOST_AT_ONCE = 16  # entries at one instant that are looked through: on real clocks hardly ever two

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Delays:
    """Waits whose late rank is known, one element each, in no order."""

    process: NDArray[np.int32]  # that waits
    late: NDArray[np.int32]  # process that was waited for
    function: NDArray[np.int32]  # in which
    at_s: _Seconds  # when that one came, seconds of the Run
    seconds: _Seconds  # of waiting, weighted: all calls that this one stands for
    causes_s: _Seconds  # waits x DOING; a row adds up to `seconds`, and its column "wait" is empty

    def __len__(self) -> int:
        return len(self.process)

    def by_process(self, processes: int) -> _Seconds:
        """Processes that wait x DOING."""
        return _summed(self.process, self.causes_s, processes)

    def by_late(self, processes: int) -> _Seconds:
        """Processes that were waited for x DOING."""
        return _summed(self.late, self.causes_s, processes)


def delays(run: Run, books: Account) -> Delays:
    """Charges the waits of a Run."""
    units, split = books.units, books.split
    weighted_s = books.weight * split.wait_s
    chosen = np.flatnonzero(weighted_s > 0)
    if len(chosen) > MOST_WAITS:
        chosen = chosen[np.argpartition(weighted_s[chosen], -MOST_WAITS)[-MOST_WAITS:]]
    late = _who_came(run, units, chosen)
    chosen, late = chosen[late != NOBODY], late[late != NOBODY]
    since_s = _together_s(run, books, chosen, late)
    longer_s = _longer(run, books, chosen, late, since_s)
    parts = np.maximum(longer_s, 0.0)
    parts /= np.maximum(parts.sum(axis=1, keepdims=True), 1e-12)
    parts = _along_chains(units, chosen, late, since_s, split.wait_s[chosen], parts)
    return Delays(
        process=units.process[chosen],
        late=late,
        function=units.function[chosen],
        at_s=units.ready_s[chosen],
        seconds=weighted_s[chosen],
        causes_s=parts * weighted_s[chosen, np.newaxis],
    )


def _who_came(run: Run, units: Units, waits: NDArray[np.int64]) -> NDArray[np.int32]:
    """The process whose entry into a call ended each wait; NOBODY where no event of another is at that instant."""
    events = run.events
    order = np.argsort(events.entry_s, kind="stable")
    entry_s, process = events.entry_s[order], events.process[order]
    first = np.searchsorted(entry_s, units.ready_s[waits], side="left")
    last = np.searchsorted(entry_s, units.ready_s[waits], side="right")
    late = np.full(len(waits), NOBODY, np.int32)
    for offset in range(min(int((last - first).max(initial=0)), MOST_AT_ONCE)):
        place = np.minimum(first + offset, len(entry_s) - 1)
        found = (first + offset < last) & (process[place] != units.process[waits]) & (late == NOBODY)
        late[found] = process[place[found]]
    return late


def _together_s(run: Run, books: Account, waits: NDArray[np.int64], late: NDArray[np.int32]) -> _Seconds:
    """When each of these pairs had last come together before the wait.

    The exit of the waiting rank's call before of the same function, on the same communicator, with the same peer, or of
    the last collective call in which all ranks had come together, whichever was later.
    """
    units = books.units
    peer = run.events.peer[units.event].astype(np.int64)
    key = units.process.astype(np.int64)
    for column in (units.function, units.comm, peer - peer.min(initial=0)):
        key = key * (int(column.max(initial=0)) + 1) + column
    order = np.lexsort((units.entry_s, key))
    before_s = np.full(len(units), -np.inf)
    same = key[order][1:] == key[order][:-1]
    before_s[order[1:][same]] = units.exit_s[order[:-1][same]]
    before_s = np.maximum(before_s, _all_met_s(run, units))
    begin_s = begins_s(run, books)
    since_s = np.maximum(before_s[waits], np.maximum(begin_s[units.process[waits]], begin_s[late]))
    result: _Seconds = np.minimum(since_s, units.entry_s[waits])
    return result


def _all_met_s(run: Run, units: Units) -> _Seconds:
    """By unit: when its process had last left a collective call that lets no rank go before all have come."""
    of_all = np.array([c.size == len(run.processes) and not c.inter for c in run.communicators.all])[units.comm]
    met = of_all & run.functions.named(*SYNCHRONISING)[units.function]
    order = np.lexsort((units.entry_s, units.process))
    first = np.searchsorted(units.process[order], np.arange(len(run.processes)))
    left_s = np.append(-np.inf, np.where(met, units.exit_s, -np.inf)[order])[:-1]
    left_s[first[first < len(left_s)]] = -np.inf  # what came before is of the process before
    # Raised by more than the Run is long from one process to the next, one running maximum serves them all.
    raise_s = units.process[order] * (float(units.exit_s.max(initial=0.0) - units.entry_s.min(initial=0.0)) + 1.0)
    lowest_s = float(units.entry_s.min(initial=0.0)) - 1.0
    met_s = np.empty(len(units))
    met_s[order] = np.maximum.accumulate(np.maximum(left_s, lowest_s) + raise_s) - raise_s
    return met_s


def _longer(run: Run, books: Account, waits: NDArray[np.int64], late: NDArray[np.int32], since_s: _Seconds) -> _Seconds:
    """Waits x DOING: seconds that the late rank did each thing longer, until it came, than the one that waited."""
    longer_s = np.zeros((len(waits), len(DOING)))
    if not len(waits):
        return longer_s
    units, waiting = books.units, books.units.process[waits]
    mine_late, mine_waiting = _rows_of(late, len(run.processes)), _rows_of(waiting, len(run.processes))
    for process, timeline in timelines(run, books):
        as_late, as_waiting = mine_late[process], mine_waiting[process]
        for rows, until_s, sign in (
            (as_late, units.ready_s[waits[as_late]], 1.0),
            (as_waiting, units.entry_s[waits[as_waiting]], -1.0),
        ):
            longer_s[rows] += sign * (timeline.until(until_s) - timeline.until(since_s[rows]))
    return longer_s


def _rows_of(process: NDArray[np.int32], processes: int) -> list[NDArray[np.int64]]:
    """By process: where it stands in the column."""
    order = np.argsort(process, kind="stable")
    return np.split(order, np.searchsorted(process[order], np.arange(1, processes)))


def _along_chains(
    units: Units,
    waits: NDArray[np.int64],
    late: NDArray[np.int32],
    since_s: _Seconds,
    wait_s: _Seconds,
    parts: _Seconds,
) -> _Seconds:
    """Puts in place of what the late rank itself waited longer the causes of these waits of its own."""
    process, at_s = units.process[waits], units.ready_s[waits]
    order = np.lexsort((at_s, process))
    span_s = float(at_s.max(initial=0.0) - min(at_s.min(initial=0.0), since_s.min(initial=0.0))) + 1.0
    key = process[order] * span_s + at_s[order]
    # Its waits that ended between the two instants.
    first = np.searchsorted(key, late * span_s + since_s, side="right")
    last = np.searchsorted(key, late * span_s + at_s, side="right")
    for _ in range(ROUNDS):
        if not parts[:, WAIT].any():
            break
        running = np.zeros((len(waits) + 1, len(DOING)))
        np.cumsum(parts[order] * wait_s[order, np.newaxis], axis=0, out=running[1:])
        own = running[np.maximum(last, first)] - running[first]
        total = own.sum(axis=1, keepdims=True)
        own = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
        own[total[:, 0] <= 0, UNKNOWN] = 1.0
        handed_on = parts[:, WAIT].copy()
        parts = parts.copy()
        parts[:, WAIT] = 0.0
        parts += handed_on[:, np.newaxis] * own
    parts[:, UNKNOWN] += parts[:, WAIT]
    parts[:, WAIT] = 0.0
    return parts


def _summed(process: NDArray[np.int32], causes_s: _Seconds, processes: int) -> _Seconds:
    columns = [np.bincount(process, column, minlength=processes) for column in causes_s.T]
    return np.stack(columns, axis=1).astype(np.float64)
