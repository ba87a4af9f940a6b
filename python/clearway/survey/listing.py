"""The Runs below a directory, a line each, in order of time: what `clearway list` shows and writes as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from clearway.survey.find_runs import find_runs
from clearway.survey.kept_rows import KeptRows
from clearway.survey.row import Row, row_of_directory, unreadable

SCHEMA = "clearway-list-1"
WORTH_HELPERS = 8  # Runs: for fewer, starting a process takes longer than reading them
DIED = "cannot be read: the process that read it died"


@dataclass(frozen=True, slots=True)
class Listing:
    """`loss` of a Run is the share of its wall-clock that could come back; its verdict the costliest finding."""

    schema: str
    directory: str
    runs: tuple[Row, ...]  # in order of time, the newest last
    closed: int  # folders that could not be read


def list_runs(top: Path, kept: KeptRows | None = None) -> Listing:
    """What is wrong with a Run stands in its line. Raises ClearwayError where there is no such directory."""
    places = find_runs(top)
    rows = {path: kept.row(path) if kept else None for path in places.runs}
    missing = [path for path, row in rows.items() if row is None]
    for path, row in zip(missing, _read(missing), strict=True):
        rows[path] = row
        if kept:
            kept.keep(path, row)
    if kept and missing:
        kept.prune()
    known = sorted((row for row in rows.values() if row), key=lambda row: (row.started_at, row.directory))
    return Listing(SCHEMA, str(top), tuple(known), places.closed)


def _read(paths: Sequence[Path]) -> list[Row]:
    """On all processors that we may use."""
    helpers = min(len(os.sched_getaffinity(0)), len(paths) // WORTH_HELPERS)
    if helpers < 2:
        return [row_of_directory(path) for path in paths]
    try:
        with ProcessPoolExecutor(helpers) as pool:
            return list(pool.map(row_of_directory, paths, chunksize=4))
    except BrokenProcessPool:  # killed for its memory, most likely: one of them is at fault, and only that one
        return [_alone(path) for path in paths]


def _alone(path: Path) -> Row:
    """Read in a process of its own, which may die of it."""
    try:
        with ProcessPoolExecutor(1) as pool:
            return pool.submit(row_of_directory, path).result()
    except BrokenProcessPool:
        return unreadable(path, DIED)
