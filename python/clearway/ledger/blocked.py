"""What ranks were doing when they were blocked outside MPI: the line "other" divided, and the part of "file I/O" in
which they waited for another process: for a lock, or for whoever reads what they print.

What came before the record, MPI_Init, MPI_Finalize and calls for locks are known exactly. The rest is divided by
samples: once in each period the recorder looks at a random moment what the main thread waits for (docs/run-format.md,
kind 17).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.run.layout import Activity, FunctionClass, Place, text
from clearway.run.run import Run

BEFORE_RECORD = "before_record"
UNNAMED = "unnamed"
# Where fewer samples were taken than there are periods (a sampler without a core), one stands for no more than this.
MOST_PERIODS = 2.0
MET_BY_CHANCE = 3.0  # periods: who was blocked for less may well have been met in it by no sample (one in twenty)
ENOUGH_ASKED_FOR, HARDLY_SEEN = 10.0, 0.25  # samples by a process's blocked time; and of these, those that found it so
FOR_OTHERS = (Activity.LOCK, Activity.FULL_PIPE, Activity.SENDING, Activity.TRACED)
NAMELESS = (Activity.RUNNING, Activity.BLOCKED)


@dataclass(frozen=True, slots=True)
class Part:
    """Of one rank's time in a line of the ledger: what it was blocked in."""

    process: int
    line: str  # field of the ledger
    activity: str  # "sleeping", "lock", … (layout.Activity), "MPI_Init", BEFORE_RECORD, UNNAMED
    object: str  # "127.0.0.53:53", a path; "" where there is none, or none is known
    seconds: float
    samples: int  # that tell so; 0 where the time is exact


def parts(run: Run, books: Account) -> tuple[Part, ...]:
    """Those of each process add up to its "other", and those of "file I/O" to less than that."""
    found: list[Part] = []
    sampled = _samples(run)
    rest_s = books.ledger["other_s"].tolist()
    for process, timed in enumerate(_exact(run, books)):
        for activity, time_s in timed.items():
            found.append(Part(process, "other_s", activity, "", min(time_s, rest_s[process]), 0))
            rest_s[process] -= found[-1].seconds
    periods_s = [_period_s(run, process, sampled[process]) for process in range(len(rest_s))]
    blocked = [_blocked(sampled[process]) for process in range(len(rest_s))]
    enough = _enough(rest_s, blocked, periods_s)
    together = _together(blocked) if enough else {}
    for process, period_s in enumerate(periods_s):
        samples = sampled[process]
        if together and not blocked[process] and rest_s[process] < MET_BY_CHANCE * period_s:
            found += _like_the_others(process, rest_s[process], together)
        else:
            by_chance = enough and not _hardly_seen(rest_s[process], blocked[process], period_s)
            most_s = np.inf if by_chance else MOST_PERIODS * period_s
            found += _divided(process, rest_s[process], blocked[process], most_s)
        locks = list(_for_locks(run, process, float(books.ledger["io_s"][process])))
        sampled_too = [activity for activity in FOR_OTHERS if not (locks and activity == Activity.LOCK)]
        found += [*locks, *_for_others(process, float(books.ledger["io_s"][process]), samples, period_s, sampled_too)]
    return tuple(part for part in found if part.seconds > 0)


def stopped_in_mpi_s(run: Run, how: Activity = Activity.STOPPED) -> list[float]:
    """By process: how long it was stopped from outside, or by a tracer, while its main thread was in an MPI call. The
    ledger has these seconds where it has the call's."""
    sampled = _samples(run)
    found = []
    for process in range(len(run.processes)):
        samples = sampled[process]
        stopped = sum(
            number for (activity, place, _), number in samples.items() if activity == how and place == Place.MPI
        )
        found.append(stopped * _period_s(run, process, samples))
    return found


def unseen_s(run: Run, books: Account) -> NDArray[np.float64]:
    """By process: blocked outside MPI for so long, though hardly any of the samples that this asks for found it so.

    The sampler is a thread of the process: then it stood still whenever the main thread did.
    """
    sampled, result = _samples(run), np.zeros(len(run.processes))
    for part in parts(run, books):
        samples = sampled[part.process]
        period_s = _period_s(run, part.process, samples)
        if part.activity == UNNAMED and _hardly_seen(part.seconds, _blocked(samples), period_s):
            result[part.process] = part.seconds
    return result


def standing_still_s(run: Run) -> float:
    """Rank-seconds in which nothing moved in MPI, for one rank at least was stopped from outside."""
    return max(stopped_in_mpi_s(run), default=0.0) * len(run.processes)


def seconds_of_a_sample(run: Run) -> NDArray[np.float64]:
    """By process."""
    sampled = _samples(run)
    return np.array([_period_s(run, process, sampled[process]) for process in range(len(run.processes))])


_Samples = dict[tuple[int, int, str], int]  # by activity, place and object


def _samples(run: Run) -> dict[int, _Samples]:
    """By process."""
    by_process: dict[int, _Samples] = defaultdict(lambda: defaultdict(int))
    cells = run.activities
    for process, cell in zip(cells.process.tolist(), cells.data.tolist(), strict=True):
        activity, place, samples, _, _, object_ = cell
        by_process[process][activity, place, text(object_)] += samples
    return by_process


def _exact(run: Run, books: Account) -> list[dict[str, float]]:
    """By process: what was timed, in order."""
    rows, calls = run.processes, run.calls
    found = [{BEFORE_RECORD: seconds} for seconds in (rows["recording_s"] - rows["begin_s"]).tolist()]
    life = run.functions.classes() == FunctionClass.LIFE
    chosen = np.flatnonzero(calls.main & life[calls.function])
    seconds = run.seconds(calls.process[chosen], calls.data["ticks"][chosen])
    opened = np.flatnonzero(life[run.main_call])
    for processes, functions, times in (
        (calls.process[chosen], calls.function[chosen], seconds),
        (opened, run.main_call[opened], books.open_calls.time_s[opened]),
    ):
        for process, function, time_s in zip(processes.tolist(), functions.tolist(), times.tolist(), strict=True):
            name = run.functions.all[function].name
            found[process][name] = found[process].get(name, 0.0) + time_s
    return found


def _period_s(run: Run, process: int, samples: _Samples) -> float:
    """How much of the record a sample stands for."""
    row, taken = run.processes[process], sum(samples.values())
    return float(row["end_s"] - row["recording_s"]) / taken if taken else 0.0


_Blocked = dict[tuple[int, str], int]  # by activity and object


def _blocked(samples: _Samples) -> _Blocked:
    """Those that found the thread blocked outside MPI and files, by activity and object."""
    return {
        (activity, object_): number
        for (activity, place, object_), number in samples.items()
        if place == Place.OUTSIDE and activity != Activity.RUNNING and number
    }


def _enough(rest_s: list[float], blocked: list[_Blocked], periods_s: list[float]) -> bool:
    """Whether all ranks together have the samples that their blocked time asks for: then one with few has so by chance.

    Of a single rank there is no telling. Half of them will do, or what chance leaves (two standard deviations).
    """
    taken = sum(sum(each.values()) for each in blocked)
    asked_for = sum(rest_s) / max(*periods_s, 1e-9)
    return len(rest_s) > 1 and taken > 0 and taken >= min(asked_for / MOST_PERIODS, asked_for - 2 * asked_for**0.5)


def _hardly_seen(rest_s: float, blocked: _Blocked, period_s: float) -> bool:
    """Far fewer samples found it blocked than so much time asks for: its sampler stood still as well, and the few are
    of another time.
    """
    if period_s <= 0:
        return False
    asked_for = rest_s / period_s
    return asked_for >= ENOUGH_ASKED_FOR and sum(blocked.values()) < HARDLY_SEEN * asked_for


def _together(blocked: list[_Blocked]) -> _Blocked:
    found: _Blocked = defaultdict(int)
    for each in blocked:
        for what, number in each.items():
            found[what] += number
    return found


def _like_the_others(process: int, rest_s: float, together: _Blocked) -> Iterator[Part]:
    """No sample of its own: as those of all ranks divide their time."""
    for part in _divided(process, rest_s, together, np.inf):
        yield replace(part, samples=0)


def _divided(process: int, rest_s: float, blocked: _Blocked, most_s: float) -> Iterator[Part]:
    """Shares of the samples that found the thread blocked outside MPI and files, of the time that it was.

    A sample stands for `most_s` at most.
    """
    taken = sum(blocked.values())
    each_s = min(rest_s / taken, most_s) if taken else 0.0
    for (activity, object_), number in blocked.items():
        if activity not in NAMELESS:
            yield Part(process, "other_s", activity_name(activity), object_, number * each_s, number)
            rest_s -= number * each_s
    if rest_s > 1e-9:
        number = sum(number for (activity, _), number in blocked.items() if activity in NAMELESS)
        yield Part(process, "other_s", UNNAMED, "", rest_s, number)


def _for_locks(run: Run, process: int, io_s: float) -> Iterator[Part]:
    """Calls for locks, by file: exact. Other threads may have waited, too."""
    mine, its_files = (slice(*np.searchsorted(rows.process, [process, process + 1])) for rows in (run.locks, run.files))
    paths, cells = run.files.data["path"][its_files], run.locks.data[mine]
    by_path: dict[str, float] = defaultdict(float)
    time_s = run.seconds(run.locks.process[mine], cells["ticks"])
    for file, seconds in zip(cells["file"].tolist(), time_s.tolist(), strict=True):
        by_path[text(paths[file]) if file < len(paths) else ""] += seconds
    for path, seconds in by_path.items():
        yield Part(process, "io_s", activity_name(Activity.LOCK), path, min(seconds, io_s), 0)
        io_s -= min(seconds, io_s)


def _for_others(
    process: int, io_s: float, samples: _Samples, period_s: float, activities: Collection[int]
) -> Iterator[Part]:
    """File functions that waited for another process, not for the file."""
    in_files = sum(number for (_, place, _), number in samples.items() if place == Place.FILE)
    for (activity, place, object_), number in samples.items():
        if place == Place.FILE and activity in activities and number:
            each_s = min(io_s / in_files, MOST_PERIODS * period_s)
            yield Part(process, "io_s", activity_name(activity), object_, number * each_s, number)


def activity_name(activity: int) -> str:
    """A newer recorder may know more of them."""
    return Activity(activity).name.lower() if activity in set(Activity) else f"activity_{activity}"
