"""The Run directory that `clearway run` makes before the job starts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path, PurePath

from clearway.base.errors import ClearwayError
from clearway.job import journal
from clearway.job.run_name import filled_in, job_in_name, plain

HINT = "choose another directory: -o DIR"


def make_run_directory(given: str | None, program: str) -> Path:
    """An empty directory, absolute: `given`, or clearway-PROGRAM-TIME in the working directory.

    `-o "$UNSET"` gives none: it must not mean the working directory, or one beside it.
    """
    directory = _here() / (filled_in(given, os.environ) if given else _default_name(program))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        used = any(directory.iterdir())
    except OSError as error:
        raise _impossible(directory, error) from None
    if used:
        raise ClearwayError(f"the Run directory '{directory}' is not empty", HINT)
    return directory


def claim_run_directory(given: str | None, program: str) -> Path:
    """The same; where it is not empty, DIR-2, DIR-3 …: a job that was requeued, or an array's next task, must run.

    Tasks of an array start at the same time: who makes run.json has the directory.
    """
    wanted = _here() / (filled_in(given, os.environ) if given else _default_name(program))
    for directory in _beside(wanted):
        try:
            directory.mkdir(parents=True, exist_ok=True)
            if not any(directory.iterdir()):
                (directory / journal.NAME).touch(exist_ok=False)
                return directory
        except FileExistsError:
            if not directory.is_dir():
                what = "it is a link to what is not there" if directory.is_symlink() else "it is a file"
                raise ClearwayError(f"cannot make the Run directory '{directory}': {what}", HINT) from None
        except OSError as error:
            raise _impossible(directory, error) from None
    raise AssertionError("the numbers have an end")


def _here() -> Path:
    try:
        return Path.cwd()
    except OSError as error:  # it was removed
        raise ClearwayError(f"cannot find the working directory: {error.strerror}", "cd into one that exists") from None


def _beside(wanted: Path) -> Iterator[Path]:
    yield wanted
    resolved = Path(os.path.realpath(wanted))  # `-o .` and `-o ..` have a name, too
    if not resolved.name:
        raise ClearwayError(f"cannot use '{wanted}' as the Run directory: it is not empty", HINT)
    for number in count(2):
        yield resolved.with_name(f"{resolved.name}-{number}")


def _impossible(directory: Path, error: OSError) -> ClearwayError:
    return ClearwayError(f"cannot make the Run directory '{directory}': {error.strerror}", HINT)


def _default_name(program: str) -> str:
    stem = f"clearway-{plain(PurePath(program).name)}"
    job = job_in_name(os.environ)
    stem = f"{stem}-{job}" if job else f"{stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (stem if attempt == 0 else f"{stem}-{attempt + (1 if job else 0)}" for attempt in range(1000))
    return next(name for name in names if not Path(name).exists())
