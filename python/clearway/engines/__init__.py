"""How fast the simulation went, by its engine's own log. One file an engine, found by being there.

An engine's module has NAME, `recognises(beginning)` (the first BEGINNING characters of a log), and
`speed(text)` (the whole log): what it says, as far as the log has come.
"""

from __future__ import annotations

import importlib
import pkgutil
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from clearway.engines.speed import Speed
from clearway.errors import ClearwayError
from clearway.page import Engine

if TYPE_CHECKING:
    from clearway.run import Run

BEGINNING = 16_384
LARGEST = 64 << 20  # of a longer log, the middle is left out
MOST_FILES = 500  # a job may write thousands of files; its log is among the first
NO_ENGINE = {"clearway.engines.speed"}


class EngineModule(Protocol):
    NAME: str

    def recognises(self, beginning: str) -> bool: ...

    def speed(self, text: str) -> Speed: ...


@cache
def engines() -> tuple[EngineModule, ...]:
    names = [f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)]
    return tuple(cast(EngineModule, importlib.import_module(name)) for name in names if name not in NO_ENGINE)


def find_engine(run: Run) -> Engine | None:
    """What the log of the job's engine says: the most telling of the files that the job printed into or wrote."""
    silent = None
    for path in candidates(run):
        found = engine_of(path)
        if found is not None and (found.ns_per_day is not None or found.s_per_step is not None):
            return found
        silent = silent or found
    return silent


def read_log(path: str | Path) -> Engine:
    """The engine's figures from a log that the user names. Raises ClearwayError."""
    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        raise ClearwayError(f"cannot read the log {path}: {error.strerror}") from error
    found = engine_of(Path(path))
    if found is None:
        names = ", ".join(engine.NAME for engine in engines())
        raise ClearwayError(f"{path} is no log of an engine that Clearway knows", f"it knows {names}")
    return found


def candidates(run: Run) -> Iterator[Path]:
    """Files that may be the log, the likeliest first, each once."""
    named = [run.launch.stdout] if run.launch is not None and run.launch.stdout else []
    named += [path for _, path in sorted(run.fact("process.stdout").items())[:1]]
    written = sorted(run.file_paths(written=True)[:MOST_FILES], key=lambda path: not path.endswith((".log", ".out")))
    for path in dict.fromkeys(named + written):
        if path.startswith("/"):
            yield Path(path)


def engine_of(path: Path) -> Engine | None:
    """The figures of one log, or None where it is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None  # opening a pipe would wait for a writer
        with path.open("rb") as stream:
            beginning = stream.read(BEGINNING)
            text = beginning.decode("utf-8", "replace")
            engine = next((one for one in engines() if one.recognises(text)), None)
            if engine is None:
                return None
            rest = stream.read(LARGEST // 2)
            size = path.stat().st_size
            if size > LARGEST:
                stream.seek(-LARGEST // 2, 2)
            rest += stream.read(LARGEST // 2)
    except (OSError, ValueError):
        return None  # it has gone, or is not ours to read
    speed = engine.speed((beginning + rest).decode("utf-8", "replace"))
    return Engine(engine.NAME, str(path), speed.ns_per_day, speed.s_per_step, speed.steps)
