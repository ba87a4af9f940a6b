"""Do steps take longer and longer? What a rank computes, and does with files, from call to call of one function.

In CPU time: that other programs come and go is not seen in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.once import once
from clearway.ledger.timelines import COMPUTE, IO, timelines

PARTS = 12  # of the calls, in order
QUARTER = PARTS // 4
ENOUGH = 10 * PARTS  # calls
GROWN = 1.5  # the last quarter over the first: a core beside a busy one is slower by less
STEADY = 0.85  # rank correlation with the order: a program that repeats what it does has none
ONE_STEP = 0.5  # of the rise, between two neighbouring parts: more is another phase of the program

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Growth:
    """Of what a rank does outside MPI for each call of `function`."""

    function: str
    grown: NDArray[np.bool_]  # by process
    first_s: _Seconds  # by process: a call's, in the first quarter of them
    last_s: _Seconds
    share: _Seconds  # by process: of all that it does so in the job, what is above the first quarter's


@once
def growing_computing(case: Case) -> Growth | None:
    """None where no rank's grows, or the record does not tell."""
    return _growth(case, COMPUTE)


@once
def growing_files(case: Case) -> Growth | None:
    return _growth(case, IO)


def _growth(case: Case, doing: int) -> Growth | None:
    parts = _parts(case)
    if parts is None:
        return None
    function, calls, done_s, all_s = parts
    each_s = done_s[:, :, doing]
    first_s, last_s = each_s[:, :QUARTER].mean(axis=1), each_s[:, -QUARTER:].mean(axis=1)
    grown = np.array([_grows(own_s) for own_s in each_s]) & (last_s > 0)
    if not grown.any():
        return None
    above_s = (calls * np.maximum(each_s - first_s[:, np.newaxis], 0.0)).sum(axis=1)
    return Growth(function, grown, first_s, last_s, above_s / np.maximum(all_s[:, doing], 1e-12))


def _grows(each_s: _Seconds) -> bool:
    """Steadily, and by much."""
    first_s, last_s = float(each_s[:QUARTER].mean()), float(each_s[-QUARTER:].mean())
    if last_s < GROWN * first_s or last_s <= 0:
        return False
    places = np.argsort(np.argsort(each_s))
    in_order = float(np.corrcoef(places, np.arange(PARTS))[0, 1])
    return in_order >= STEADY and float(np.diff(each_s).max()) <= ONE_STEP * float(np.ptp(each_s))


@once
def _parts(case: Case) -> tuple[str, NDArray[np.int64], _Seconds, _Seconds] | None:
    """The function that all ranks call most often in blocking calls; by process and part how often they did, and what
    for each; and what by process in all.
    """
    units = case.books.units
    if not len(units):
        return None
    kinds = units.function.astype(np.int64) * len(case.run.communicators.all) + units.comm
    names, kind = np.unique(kinds, return_inverse=True)
    seen = np.zeros((case.ranks, len(names)), np.int64)
    np.add.at(seen, (units.process, kind), 1)
    most = int(np.argmax(seen.min(axis=0)))
    if seen[:, most].min() < ENOUGH:
        return None
    order = np.lexsort((units.entry_s, units.process))
    first = np.searchsorted(units.process[order], np.arange(case.ranks + 1))
    done_s, called, all_s = [], [], []
    for process, timeline in timelines(case.run, case.books):
        own = kind[order[first[process] : first[process + 1]]] == most
        by_call = np.diff(timeline.done_s[0::3], axis=0)  # before each call, and in it
        number = np.cumsum(own) - own  # of such calls before
        part = np.minimum(number * PARTS // int(own.sum()), PARTS - 1)
        after = number > 0  # what was before the first is the start of the program
        columns = [np.bincount(part[after], column, minlength=PARTS) for column in by_call[after].T]
        sums = np.stack(columns, axis=1)
        calls = np.bincount(part[own & after], minlength=PARTS).astype(np.int64)
        done_s.append(sums / np.maximum(calls, 1)[:, np.newaxis])
        called.append(calls)
        all_s.append(by_call.sum(axis=0))
    function = case.run.functions.all[int(names[most]) // len(case.run.communicators.all)].name
    return function, np.array(called), np.array(done_s), np.array(all_s)
