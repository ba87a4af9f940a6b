"""When a fault cost its seconds: since a moment, in a stretch of the job, now and then; silence where it was always so.

Where its seconds lie in time is read off the lines of the ledger that it claims, slice by slice.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.ledger.account import LINES

LINE_OF = {
    "stall_s": "mpi_stall_s",
    "transfer_s": "mpi_transfer_s",
    "core_wait_s": "core_wait_s",
    "io_s": "io_s",
    "imbalance_s": "mpi_wait_s",
    "wait_s": "mpi_wait_s",
    "blocked_s": "other_s",
}
FEWEST_SLICES = 10  # of the job at work: fewer tell no time
MOST_OF_IT = 0.9  # of the seconds
THERE = 0.5  # of the seconds of the claimed lines: in the time that is looked at
NEXT_TO_NOTHING = 0.02  # of the seconds: before it began, after it was over
SELDOM = 0.5  # of the time at work: what fills more of it is told as always
LATE = 0.15  # of the time at work: what begins earlier began with the job
ONE_PHASE = 0.75  # of the time at work at most, for a phase to tell anything

_Seconds = NDArray[np.float64]


def when(case: Case, claims: Mapping[str, float]) -> str:
    """A sentence, or nothing. What held up the start is told with its time, and lies before all that is looked at."""
    strip = case.strip
    if strip is None or "start_wait_s" in claims or not _tell_of_most(claims):
        return ""
    at_work = _at_work(case, strip.edges_s)
    if at_work.sum() < FEWEST_SLICES:
        return ""
    first = int(np.argmax(at_work))
    whole = _curve(strip.sums_s, claims)
    curve = whole[at_work]
    edges_s = (strip.edges_s - strip.edges_s[0])[first : first + len(curve) + 1]
    if curve.sum() <= 0 or curve.sum() < THERE * whole.sum():  # the rest lies in starting, where nothing is looked at
        return ""
    said = _since(curve, edges_s) or _seldom(curve, edges_s)
    in_phase = _phase(curve, None if strip.phase is None else strip.phase[at_work], said)
    return " ".join(part for part in (said, in_phase) if part)


def _tell_of_most(claims: Mapping[str, float]) -> bool:
    """Whether nearly all of the seconds are in lines that tell when. Of computing any may be meant."""
    known_s = sum(seconds for cause, seconds in claims.items() if cause in LINE_OF)
    return known_s >= MOST_OF_IT * sum(claims.values())


def _at_work(case: Case, edges_s: _Seconds) -> NDArray[np.bool_]:
    """Slices between the start of MPI on all ranks and its end on the first: starting and stopping have their time."""
    rows, starts = case.run.processes, case.books.starting.exit_s
    begins_s = np.where(np.isfinite(starts), starts, rows["recording_s"])
    begin_s, end_s = float(begins_s.max()), float(rows["end_s"].min())
    result: NDArray[np.bool_] = (edges_s[:-1] >= begin_s) & (edges_s[1:] <= end_s + 1e-9)
    return result


def _curve(sums_s: _Seconds, claims: Mapping[str, float]) -> _Seconds:
    """The claimed seconds by slice: of each line as much in each slice as it has there."""
    curve = np.zeros(len(sums_s))
    for cause, claim in claims.items():
        line = LINE_OF.get(cause)
        if line is not None and claim > 0:
            own = sums_s[:, LINES.index(line)]
            curve += claim * own / max(float(own.sum()), 1e-12)
    return curve


def _since(curve: _Seconds, edges_s: _Seconds) -> str:
    """From a moment on to the end, and nearly nothing before."""
    running = np.cumsum(curve) / curve.sum()
    onset = int(np.argmax(running > NEXT_TO_NOTHING))
    over = int(np.argmax(running >= 1 - NEXT_TO_NOTHING)) + 1
    usual_s = 0.25 * float(curve[onset:].mean())
    while onset > 0 and curve[onset - 1] > usual_s:
        onset -= 1
    span = curve[onset:]
    lasts = (span > usual_s).mean() > MOST_OF_IT - 0.2
    if onset < LATE * len(curve) or over < (1 - LATE / 2) * len(curve) or not lasts or len(span) < 2:
        return ""
    return f"It began {moment(float(edges_s[onset]))} into the job."


def _seldom(curve: _Seconds, edges_s: _Seconds) -> str:
    """In a small part of the time."""
    order = np.argsort(-curve, kind="stable")
    number = int(np.searchsorted(np.cumsum(curve[order]), MOST_OF_IT * curve.sum())) + 1
    if number > SELDOM * len(curve):
        return ""
    chosen = np.sort(order[:number])
    slice_s = float(edges_s[1] - edges_s[0])
    times = 1 + int((np.diff(chosen) > 1).sum())
    share = f"in {q.seconds(number * slice_s)} of the job's {q.seconds(float(edges_s[-1]))}"
    if times == 1:
        begin_s, end_s = float(edges_s[chosen[0]]), float(edges_s[chosen[-1] + 1])
        return f"It happened {share}: from {moment(begin_s)} to {moment(end_s)}."
    return f"It happened {times} times, {share}."


def _phase(curve: _Seconds, phase: NDArray[np.int32] | None, said: str) -> str:
    """In which of the parts that the program marks with MPI_Pcontrol."""
    if phase is None:
        return ""
    numbers, index = np.unique(phase, return_inverse=True)
    seconds = np.bincount(index, curve)
    most = int(np.argmax(seconds))
    in_phase = float((index == most).mean())
    if seconds[most] < MOST_OF_IT * curve.sum() or in_phase > ONE_PHASE:
        return ""
    return f"{'That is' if said else 'It happened'} in phase {int(numbers[most])} of the program (MPI_Pcontrol)."


def moment(second: float) -> str:
    """A moment of the job: "23.4 s", "12:03 min", "1:12:03 h"."""
    if second < 60:
        return q.seconds(second)
    minutes, seconds = divmod(round(second), 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02d} min"
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d} h"
