"""From sampled instructions to functions: how much processor time each process had in each, outside the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.profile.atomics import behind_atomic
from clearway.ledger.profile.plain_names import plain
from clearway.ledger.profile.symbols import Place, symbols_of
from clearway.run.layout import NO_RANGE, text
from clearway.run.run import Run

OFFSET_BITS, OFFSET_MASK = np.uint64(44), np.uint64((1 << 44) - 1)  # of a place in a file
UNKNOWN = ""  # path of what is in no range that the record has


@dataclass(frozen=True, slots=True)
class Function:
    """One that took time, or all of a file that have no name there, between the same two that have."""

    path: str  # of its file; "[vdso]": the kernel's clock; "[run time]": instructions made by the program itself
    name: str  # empty: the file does not tell
    before: str = ""  # where it has no name: what has, before and behind it
    behind: str = ""
    atomic: bool = False  # of it, the instructions that change memory in one step, for no other thread to see the half


@dataclass(frozen=True, slots=True)
class Profile:
    """Sampled times. The arrays are parallel: one row for each process and function."""

    functions: tuple[Function, ...]
    process: NDArray[np.int32]
    function: NDArray[np.int32]  # its number among the functions
    main_s: NDArray[np.float64]  # of the main thread
    others_s: NDArray[np.float64]  # of the program's other threads
    period_s: float  # of processor time, from one sample to the next

    @property
    def sampled_s(self) -> float:
        return float(self.main_s.sum() + self.others_s.sum())


def profile(run: Run) -> Profile | None:
    """None where nothing was sampled: the kernel did not allow it, or the job was too short."""
    samples = run.code_samples
    period_s = max((float(value) for value in run.fact("profile.period_us").values()), default=0.0) * 1e-6
    if not len(samples.data) or not period_s:
        return None
    files, file_of_range = _files(run)
    places, place = np.unique(_places(run, file_of_range), return_inverse=True)
    functions, function_of_place = _functions(files, places >> OFFSET_BITS, places & OFFSET_MASK)
    number = len(functions)
    cell = samples.process * np.int64(number) + function_of_place[place]
    cells = (int(samples.process[-1]) + 1) * number
    by_main, by_others = (np.bincount(cell, samples.data[name], cells) for name in ("by_main", "by_others"))
    found = np.flatnonzero(by_main + by_others)
    return Profile(
        functions,
        (found // number).astype(np.int32),
        (found % number).astype(np.int32),
        by_main[found].astype(np.float64) * period_s,
        by_others[found].astype(np.float64) * period_s,
        period_s,
    )


File = tuple[str, int, int]  # path, bytes, when it was modified


def _files(run: Run) -> tuple[list[File], NDArray[np.int64]]:
    """All files, the unknown one first, and which of them each range of the Run is of."""
    numbers: dict[File, int] = {(UNKNOWN, 0, 0): 0}
    of_range = [
        numbers.setdefault((text(bytes(row["path"])), int(row["file_bytes"]), int(row["modified_s"])), len(numbers))
        for row in run.code_ranges.data
    ]
    return list(numbers), np.array(of_range, np.int64)


def _places(run: Run, file_of_range: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Of each sample its file's number, shifted, and the offset into it: 0 where it stands for a whole page."""
    samples, ranges = run.code_samples, run.code_ranges
    first = np.searchsorted(ranges.process, samples.process, side="left")
    behind = np.searchsorted(ranges.process, samples.process, side="right")
    of = first + samples.data["range"].astype(np.int64)
    known = (samples.data["range"] != NO_RANGE) & (of < behind)
    of = of[known]
    inside = samples.data["address"][known] - ranges.data["begin"][of] + ranges.data["file_offset"][of]
    exact = (samples.data["bytes"][known] == 1) & (inside <= OFFSET_MASK)
    places = np.zeros(len(samples.data), np.uint64)
    places[known] = (file_of_range[of].astype(np.uint64) << OFFSET_BITS) | np.where(exact, inside, np.uint64(0))
    return places


def _functions(
    files: list[File], file: NDArray[np.uint64], offset: NDArray[np.uint64]
) -> tuple[tuple[Function, ...], NDArray[np.int64]]:
    """All functions, and which of them each (file, offset) is in."""
    numbers: dict[Function, int] = {}
    of = np.zeros(len(file), np.int64)
    for index, (path, file_bytes, modified_s) in enumerate(files):
        mine = np.flatnonzero(file == index)
        if not len(mine):
            continue
        symbols = symbols_of(path, file_bytes, modified_s) if file_bytes else None
        places = symbols.places(offset[mine]) if symbols else [Place()] * len(mine)
        atomic = behind_atomic(path, offset[mine]) if symbols else [False] * len(mine)
        made: dict[tuple[Place, bool], int] = {}
        for at, key in zip(mine.tolist(), zip(places, atomic, strict=True), strict=True):
            if key not in made:
                place, is_atomic = key
                function = Function(path, plain(place.function), place.before, place.behind, is_atomic)
                made[key] = numbers.setdefault(function, len(numbers))
            of[at] = made[key]
    return tuple(numbers), of
