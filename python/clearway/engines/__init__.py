"""How fast the simulation went, by its engine's own log. One file an engine, found by being there.

An engine's module has NAME, VERSION, `recognises(beginning)` (the first BEGINNING characters of what a job logged), and
`speed(text)` (all of it): what it says, as far as the log has come. One whose results can be compared also has what
results.py asks for; one that says of itself how it ran, what words.py asks for.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import stat
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol, cast

from clearway.base.errors import ClearwayError
from clearway.engines.excerpts import Excerpt, Traces, excerpts, last_sign_ns
from clearway.engines.saved import read_kept, write_kept
from clearway.engines.speed import Engine, Speed
from clearway.engines.words import Word, words_of
from clearway.run.directory import find_records, read_launch
from clearway.run.layout import State
from clearway.run.reader import Record
from clearway.run.run import Launch

BEGINNING = 16_384
LARGEST = 64 << 20  # of a longer log, the middle is left out
NO_ENGINE = {f"{__name__}.{name}" for name in ("excerpts", "kept_log", "results", "saved", "speed", "words")}
LONGEST_VERSION = 60
LONGER = 1.05  # a log that tells of more time than its job took, and this, is a copy of another job's
LONGER_S = 1.0


@dataclass(frozen=True, slots=True)
class _Ended:
    """A Run, as far as a log is concerned."""

    directory: Path
    job: str
    launch: Launch | None
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What a log tells."""

    engine: Engine
    words: tuple[Word, ...] = ()
    begin: int = 0  # of the job's own part of it


class EngineModule(Protocol):
    NAME: str
    VERSION: str  # the pattern of it in BEGINNING

    def recognises(self, beginning: str) -> bool: ...

    def speed(self, text: str) -> Speed: ...


@cache
def engines() -> tuple[EngineModule, ...]:
    names = [f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)]
    return tuple(cast(EngineModule, importlib.import_module(name)) for name in names if name not in NO_ENGINE)


def find_engine(run: Traces) -> Engine | None:
    """What the job's engine said of its speed: as it was kept when the job ended, else from what the job wrote."""
    found = find_log(run)
    return None if found is None else found.engine


def find_log(run: Traces) -> Told | None:
    """All that it said, likewise."""
    kept = read_kept(run.directory, run.job)
    if kept is not None:
        return Told(kept.engine, kept.words, kept.begin)
    found = _search(run)
    if found is not None and _has_ended(run):
        write_kept(run.directory, run.job, found.engine, found.words, found.begin)
    return found


def keep_engine(directory: Path) -> None:
    """Looks for the speed now, when the job has just ended, and keeps what is found: later the log may be another's.

    Raises ClearwayError where there is no record. Reads no more than it needs: the prompt waits.
    """
    found = find_records(directory)
    run = _Ended(directory, found.job, read_launch(directory)[0], tuple(record for _, record in found.ranks))
    told = _search(run)
    if told is not None:
        write_kept(directory, found.job, told.engine, told.words, told.begin)


def read_log(path: str | Path) -> Engine:
    """The engine's figures from a log that the user names. Raises ClearwayError."""
    try:
        with Path(path).open("rb"):
            size = Path(path).stat().st_size
    except OSError as error:
        raise ClearwayError(
            f"cannot read the log {path}: {error.strerror}",
            "give the log file that the engine wrote: --log FILE",
        ) from error
    found = engine_of(Excerpt(Path(path), 0, size))
    if found is None:
        names = ", ".join(engine.NAME for engine in engines())
        raise ClearwayError(f"{path} is not a log of an engine that Clearway knows", f"it knows {names}")
    return found


def engine_of(excerpt: Excerpt, wall_s: float | None = None) -> Engine | None:
    """The figures of a job that took `wall_s`, from what it logged; None where that is no log, or another job's."""
    found = _told(excerpt, wall_s)
    return None if found is None else found.engine


def _told(excerpt: Excerpt, wall_s: float | None) -> Told | None:
    try:
        if not stat.S_ISREG(excerpt.path.stat().st_mode):
            return None  # opening a pipe would wait for a writer
        beginning = _read(excerpt, excerpt.begin, BEGINNING)
        engine = next((one for one in engines() if one.recognises(beginning)), None)
        if engine is None:
            return None
        half = LARGEST // 2
        middle = max(excerpt.begin + half, excerpt.end - half)
        text = _read(excerpt, excerpt.begin, half) + _read(excerpt, middle, half)
    except (OSError, ValueError):
        return None  # it has gone, or is not ours to read
    speed = engine.speed(text)
    if wall_s is not None and speed.measured_s is not None and speed.measured_s > LONGER * wall_s + LONGER_S:
        return None
    name = str(excerpt.path).encode("utf-8", "replace").decode()
    version = re.search(engine.VERSION, beginning, re.MULTILINE)
    told = version.group(1)[:LONGEST_VERSION] if version else ""
    figures = Engine(engine.NAME, name, speed.ns_per_day, speed.s_per_step, speed.steps, told)
    return Told(figures, words_of(engine, text), excerpt.begin)


def _read(excerpt: Excerpt, begin: int, most: int) -> str:
    with excerpt.path.open("rb") as stream:
        stream.seek(begin)
        return stream.read(max(0, min(most, excerpt.end - begin))).decode("utf-8", "replace")


def _search(run: Traces) -> Told | None:
    """The most telling of what the job printed or wrote; with the words of another log of the engine if it has none."""
    telling: Told | None = None
    silent: Told | None = None
    wall_s = _wall_s(run)
    for excerpt in excerpts(run):
        found = _told(excerpt, wall_s)
        if found is None:
            continue
        if telling is not None:
            if found.words and found.engine.name == telling.engine.name:
                return replace(telling, words=found.words)
        elif found.engine.ns_per_day is None and found.engine.s_per_step is None:
            silent = silent or found
        elif found.words:
            return found
        else:
            telling = found
    return telling or silent


def _wall_s(run: Traces) -> float:
    begins = [int(record.header["start"]["realtime_ns"]) for record in run.records]
    if run.launch is not None and run.launch.started_ns is not None:
        begins.append(run.launch.started_ns)
    return (last_sign_ns(run) - min(begins, default=0)) * 1e-9


def _has_ended(run: Traces) -> bool:
    if run.launch is not None and run.launch.ended_ns is not None:
        return True
    return all(record.header["state"] == State.EXITED for record in run.records)
