"""Divides each recorded call: waiting, off the core, stalled, undivided; what is left moved data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.divisible_calls import Units
from clearway.ledger.stalls import Intervals, overlap_s


@dataclass(frozen=True, slots=True)
class Split:
    """Seconds of each unit, by column; they add up to at most its duration."""

    wait_s: NDArray[np.float64]
    core_wait_s: NDArray[np.float64]
    stall_s: NDArray[np.float64]
    undivided_s: NDArray[np.float64]


def split(units: Units, stalls: Intervals) -> Split:
    """Each unit's own seconds, not yet weighted.

    A rank that polls while it must wait anyway, for others or for a timeout, loses nothing by being off the core. So
    run delay is taken to have fallen into the wait and the stall first, and only what these cannot hold kept the data
    from moving.
    """
    duration_s = units.duration_s
    wait_s = np.clip(units.ready_s - units.entry_s, 0.0, duration_s)
    after_s = duration_s - wait_s
    stall_s = np.zeros(len(units))
    for process, own in _units_of(units, stalls):
        intervals = stalls[process]
        stall_s[own] = overlap_s(intervals, units.entry_s[own] + wait_s[own], units.exit_s[own])
    stall_s = np.minimum(stall_s, after_s)
    core_wait_s = np.minimum(np.maximum(units.run_delay_s - wait_s - stall_s, 0.0), after_s - stall_s)
    core_wait_s[units.open] = 0.0  # whether it had to wait then is not known: see undivided
    undivided_s = np.where(units.open, after_s - core_wait_s - stall_s, 0.0)
    return Split(wait_s, core_wait_s, stall_s, undivided_s)


def _units_of(units: Units, stalls: Intervals) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The positions of the units of each process that stalled."""
    if not stalls:
        return
    among = np.zeros(max(int(units.process.max(initial=0)), *stalls) + 1, np.bool_)
    among[list(stalls)] = True
    chosen = np.flatnonzero(among[units.process])
    process = units.process[chosen]
    order = np.argsort(process, kind="stable")
    chosen, process = chosen[order], process[order]
    for one in stalls:
        begin, end = np.searchsorted(process, [one, one + 1])
        yield one, chosen[begin:end]
