"""What each process had been doing until any instant: seconds of each kind since it left MPI_Init.

Between two recorded calls a process is outside MPI: computing, but for what the later event says of being blocked, in
files and without a core. Or it polls and finds nothing, until it makes another call: how long, only the ledger says. In
a call it waits for others first, as the ledger divides it; then data moves or stands still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.divisible_calls import Units
from clearway.run.layout import EventKind, FunctionClass
from clearway.run.run import Run

# What a process may be doing, by column. UNKNOWN: between calls of which those in between are not on record.
DOING = ("compute", "core_wait", "io", "blocked", "transfer", "stall", "wait", "unknown")
COMPUTE, CORE_WAIT, IO, BLOCKED, TRANSFER, STALL, WAIT, UNKNOWN = range(len(DOING))

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Of one process: `done_s[i]` had come together by `at_s[i]`; in between it grew evenly."""

    at_s: _Seconds
    done_s: _Seconds  # instants x DOING

    def until(self, instants_s: _Seconds) -> _Seconds:
        """Instants x DOING: what had come together by then."""
        if not len(self.at_s):
            return np.zeros((len(instants_s), len(DOING)))
        right = np.clip(np.searchsorted(self.at_s, instants_s, side="right"), 1, len(self.at_s) - 1)
        left = right - 1
        length_s = self.at_s[right] - self.at_s[left]
        part = np.clip((instants_s - self.at_s[left]) / np.maximum(length_s, 1e-12), 0.0, 1.0)
        result: _Seconds = self.done_s[left] + part[:, np.newaxis] * (self.done_s[right] - self.done_s[left])
        return result


def timelines(run: Run, books: Account) -> Iterator[tuple[int, Timeline]]:
    """By process, one after the other: of a large Run they are too much to hold all at once."""
    units, begin_s = books.units, begins_s(run, books)
    order = np.lexsort((units.entry_s, units.process))
    first = np.searchsorted(units.process[order], np.arange(len(run.processes) + 1))
    before_s = _before(run, units)
    rest = elsewhere_s(run, books)
    for process in range(len(run.processes)):
        own = order[first[process] : first[process + 1]]
        rest_s = {doing: float(seconds[process]) for doing, seconds in rest.items()}
        yield process, _timeline(run, books, process, own, before_s[own], rest_s, float(begin_s[process]))


def overslept_s(run: Run, books: Account) -> _Seconds:
    """By process: blocked before a poll (MPI_Test, MPI_Iprobe) that found what had been there to be found meanwhile."""
    units, blocked_s = books.units, _blocked_before_s(run, books)
    polls = run.functions.classes()[units.function] == FunctionClass.POLL
    there_s = np.where(np.isfinite(units.ready_s), np.maximum(units.entry_s - units.ready_s, 0.0), 0.0)
    over_s = np.where(polls, np.minimum(there_s, blocked_s), 0.0)
    return np.bincount(units.process, books.weight * over_s, minlength=len(run.processes)).astype(np.float64)


def before_calls_s(run: Run, books: Account) -> _Seconds:
    """By process: blocked before calls that do not just look for what may have come (MPI_Test, MPI_Iprobe).

    Each event on record tells of all since the one before it: so they are not weighted.
    """
    units, blocked_s = books.units, _blocked_before_s(run, books)
    looks = run.functions.classes()[units.function] == FunctionClass.POLL
    return np.bincount(units.process, np.where(looks, 0.0, blocked_s), minlength=len(run.processes)).astype(np.float64)


def _blocked_before_s(run: Run, books: Account) -> _Seconds:
    """By unit."""
    return _before(run, books.units)[:, 2]


def begins_s(run: Run, books: Account) -> _Seconds:
    """By process: when it left MPI_Init; without one, when its record began."""
    left_s = books.starting.exit_s
    return np.where(np.isfinite(left_s), left_s, run.processes["recording_s"])


def _before(run: Run, units: Units) -> _Seconds:
    """By unit: seconds without a core, in files and blocked before the call.

    What the events of calls that are no units tell (MPI_Isend) belongs to the next unit of the process.
    """
    events = run.events
    begun = events.kind == EventKind.BEGUN  # what was before MPI_Init
    figures = np.stack([events.run_delay_before_s, events.io_before_s, events.blocked_before_s], axis=1)
    told = np.flatnonzero(figures.any(axis=1) & ~begun)
    # All in the order of time, process by process; an event stands before the unit that begins with it.
    process = np.concatenate([units.process, events.process[told]])
    is_unit = np.arange(len(process)) < len(units)
    order = np.lexsort((is_unit, np.concatenate([units.entry_s, events.entry_s[told]]), process))
    places = np.where(is_unit[order], np.arange(len(order)), len(order))
    following = np.minimum.accumulate(places[::-1])[::-1][~is_unit[order]]
    event, known = order[~is_unit[order]], following < len(order)
    event, unit = event[known], order[following[known]]
    same = process[event] == process[unit]
    event, unit = told[event[same] - len(units)], unit[same]
    columns = [np.bincount(unit, column, minlength=len(units)) for column in figures[event].T]
    return np.stack(columns, axis=1).astype(np.float64)


def _timeline(
    run: Run,
    books: Account,
    process: int,
    own: NDArray[np.int64],
    before_s: _Seconds,
    elsewhere_s: dict[int, float],
    begin_s: float,
) -> Timeline:
    units, split = books.units, books.split
    if not len(own):
        return Timeline(np.empty(0), np.empty((0, len(DOING))))
    entry_s, exit_s = units.entry_s[own], units.exit_s[own]
    entry_s = np.maximum(entry_s, np.maximum.accumulate(np.append(begin_s, exit_s[:-1])))
    exit_s = np.maximum(exit_s, entry_s)
    wait_s = np.minimum(split.wait_s[own], exit_s - entry_s)
    # Three stretches a call: outside before it, waiting in it, and the rest of it.
    at_s = np.empty(3 * len(own) + 1)
    at_s[0] = begin_s
    at_s[1::3], at_s[2::3], at_s[3::3] = entry_s, entry_s + wait_s, exit_s
    steps = np.zeros((3 * len(own), len(DOING)))
    outside_s = np.diff(at_s)[0::3]
    steps[0::3] = outside(outside_s, before_s)
    spread_the_rest(steps, elsewhere_s)
    if run.event_level > 0:
        apart = outside_s > run.event_window_ms * 1e-3
        steps[0::3][apart] = 0.0
        steps[0::3, UNKNOWN][apart] = outside_s[apart]
    steps[1::3, WAIT] = wait_s
    after_s = np.diff(at_s)[2::3]
    stall_s = np.minimum(split.stall_s[own], after_s)
    core_s = np.minimum(split.core_wait_s[own], after_s - stall_s)
    steps[2::3, STALL], steps[2::3, CORE_WAIT] = stall_s, core_s
    rest = np.where(run.functions.classes()[units.function[own]] == FunctionClass.MPI_IO, IO, TRANSFER)
    steps[2 + 3 * np.arange(len(own)), rest] = after_s - stall_s - core_s
    _take_out_calls(steps, float(books.no_unit_s[process]), float(books.ledger["compute_s"][process]))
    return Timeline(at_s, np.concatenate([np.zeros((1, len(DOING))), np.cumsum(steps, axis=0)]))


def _take_out_calls(steps: _Seconds, no_unit_s: float, compute_s: float) -> None:
    """Lets no more seem to be computing than the ledger has of it, as far as calls that are no units explain the rest.

    Where between the recorded calls they were, nothing tells: evenly with the time in which it seems to compute.
    """
    seems_s, unknown_s = float(steps[:, COMPUTE].sum()), float(steps[:, UNKNOWN].sum())
    on_record = 1.0 - unknown_s / max(float(steps.sum()), 1e-12)  # in a sample, both figures are of more
    moved_s = min(no_unit_s * on_record, max(seems_s - compute_s * on_record, 0.0))
    moved = steps[:, COMPUTE] * (moved_s / max(seems_s, 1e-12))
    steps[:, UNKNOWN] += moved
    steps[:, COMPUTE] -= moved


def elsewhere_s(run: Run, books: Account) -> dict[int, _Seconds]:
    """By process, what the ledger has outside MPI beside computing; 0 where events tell it one by one.

    Those of a simulated process do not.
    """
    processes, units, events = len(run.processes), books.units, run.events
    silent = np.ones(processes, np.bool_)
    silent[events.process[events.kind == EventKind.BEGUN]] = False
    in_calls_s = np.bincount(units.process, books.weight * books.split.core_wait_s, minlength=processes)
    return {
        CORE_WAIT: silent * (books.ledger["core_wait_s"] - in_calls_s),
        IO: silent * books.ledger["io_s"],
        BLOCKED: silent * run.threads.data["blocked_outside_ns"] * 1e-9,
    }


def spread_the_rest(steps: _Seconds, elsewhere_s: dict[int, float]) -> None:
    """Lets what no event tells of come evenly with the time in which the process seems to compute."""
    seems_s = float(steps[:, COMPUTE].sum())
    rest_s = {doing: max(seconds - float(steps[:, doing].sum()), 0.0) for doing, seconds in elsewhere_s.items()}
    part = min(1.0, seems_s / max(sum(rest_s.values()), 1e-12)) / max(seems_s, 1e-12)
    computing_s = steps[:, COMPUTE].copy()
    for doing, seconds in rest_s.items():
        steps[:, doing] += computing_s * seconds * part
        steps[:, COMPUTE] -= computing_s * seconds * part


def outside(length_s: _Seconds, before_s: _Seconds) -> _Seconds:
    """Stretches x DOING: what is known of them, cut to their length; the rest was computing."""
    known_s = before_s.sum(axis=1)
    part = np.minimum(known_s, length_s) / np.maximum(known_s, 1e-12)
    doing = np.zeros((len(length_s), len(DOING)))
    doing[:, [CORE_WAIT, IO, BLOCKED]] = before_s * part[:, np.newaxis]
    doing[:, COMPUTE] = np.maximum(length_s - doing.sum(axis=1), 0.0)
    return doing
