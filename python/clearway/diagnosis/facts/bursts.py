"""Calls of a few bytes each that ranks make one right after the other: what one call in their place would spare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.tables.calls import CallRow
from clearway.run.layout import FunctionClass

FEW_BYTES = 255  # a call with so many takes hardly longer than one with none
AT_ONCE_S = 5e-6  # of computing between two of them: a loop, in a slow language too
MANY = 1_000  # calls of a rank: less is no loop, or costs nothing
MOSTLY = 0.8  # of the calls of each rank that makes them
BYTES_PER_S = 1e9  # at which one call moves what all of them did
SIZE_BINS = FEW_BYTES.bit_length()  # of call cells: up to this one
KINDS = [kind.name.lower() for kind in (FunctionClass.SEND, FunctionClass.SEND_RECEIVE, FunctionClass.COLLECTIVE)]


@dataclass(frozen=True, slots=True)
class Bursts:
    """All small calls of one function."""

    row: CallRow
    calls: float  # of a rank that makes them, on average
    bytes: float  # of one, on average
    moving_s: float  # of one, on average
    following: float  # the part that comes right after another
    spared_moving_s: float  # rank-seconds
    spared_wait_s: float  # of collective calls: nobody computed before, so the others are late by chance


def bursts(case: Case) -> tuple[Bursts, ...]:
    """Those that spare most first."""
    rows = {row.function: row for row in case.tables.mpi_calls if row.function_class in KINDS and row.count >= MANY}
    return tuple(sorted(_found(case, rows), key=lambda one: -one.spared_moving_s))


def _found(case: Case, rows: dict[str, CallRow]) -> Iterator[Bursts]:
    units, split, weight = case.books.units, case.books.split, case.books.weight
    if not rows or not len(units):
        return
    order = np.lexsort((units.entry_s, units.process))
    follows = np.zeros(len(units), np.bool_)
    follows[order[1:]] = _follow(case, order)
    size = case.run.events.bytes[units.event].astype(np.float64)
    moving_s = np.maximum(units.duration_s - split.wait_s - split.core_wait_s - split.stall_s, 0.0)
    for number, function in enumerate(case.run.functions.all):
        row = rows.get(function.name)
        own = np.flatnonzero((units.function == number) & (size <= FEW_BYTES)) if row is not None else ()
        if row is None or not len(own):
            continue
        after = own[follows[own]]
        seen = np.bincount(units.process[own], weight[own], case.ranks)
        following = np.bincount(units.process[after], weight[after], case.ranks)[seen > 0] / seen[seen > 0]
        calls = _calls(case, number)
        if following.min(initial=1.0) < MOSTLY or calls.max() < MANY or not seen.any():
            continue
        collective = row.function_class == FunctionClass.COLLECTIVE.name.lower()
        spared = weight[after]
        yield Bursts(
            row=row,
            calls=float(calls[calls > 0].mean()),
            bytes=float(np.average(size[own], weights=weight[own])),
            moving_s=float(np.average(moving_s[own], weights=weight[own])),
            following=float(spared.sum() / weight[own].sum()),
            spared_moving_s=float((spared * np.maximum(moving_s[after] - size[after] / BYTES_PER_S, 0.0)).sum()),
            spared_wait_s=float((spared * split.wait_s[after]).sum()) if collective else 0.0,
        )


def _calls(case: Case, function: int) -> NDArray[np.float64]:
    """By process: all small calls of its main thread, also those that are not on record one by one."""
    cells = case.run.calls
    own = cells.main & (cells.function == function) & (cells.data["size_bin"] <= SIZE_BINS)
    return np.bincount(cells.process[own], cells.data["count"][own], case.ranks).astype(np.float64)


def _follow(case: Case, order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each unit but the first, in this order, comes right after one like it."""
    units, events = case.books.units, case.run.events
    alike = np.ones(len(order) - 1, np.bool_)
    for column in (units.process, units.function, units.comm, events.peer[units.event]):
        alike &= column[order[1:]] == column[order[:-1]]
    pause_s = units.entry_s[order[1:]] - units.exit_s[order[:-1]]
    # Without a core it did not compute either.
    pause_s -= events.run_delay_before_s[units.event[order[1:]]]
    result: NDArray[np.bool_] = alike & (pause_s <= AT_ONCE_S)
    return result
