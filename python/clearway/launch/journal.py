"""run.json: what `clearway run` knows of a job and no rank can tell. Whole at every instant."""

from __future__ import annotations

import json
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from clearway.errors import ClearwayError

NAME = "run.json"


@dataclass(frozen=True, slots=True)
class Journal:
    """The content of run.json. Times are nanoseconds of CLOCK_REALTIME; None: the job has not ended."""

    command: tuple[str, ...]  # as typed
    job: str  # the token in the header of each of the job's records
    started_ns: int
    stdout: str | None  # the file that the job's output goes to, if it is one
    ended_ns: int | None = None
    exit_code: int | None = None  # 128 + n when signal n ended the launcher


def begin(directory: Path, command: Sequence[str], stdout: Path | None = None) -> Journal:
    """Writes the first run.json in `directory`. `stdout`: where the job's output goes, if not where ours does."""
    journal = Journal(tuple(command), secrets.token_hex(8), time.time_ns(), str(stdout) if stdout else _stdout_file())
    try:
        _write(directory, journal)
    except OSError as error:
        raise ClearwayError(
            f"cannot write to the Run directory '{directory}': {error.strerror}", "choose another one: -o DIR"
        ) from None
    return journal


def end(directory: Path, journal: Journal, exit_code: int) -> str | None:
    """Writes how the job ended. Returns why that was not possible: the job is over, it must not fail now."""
    try:
        _write(directory, replace(journal, ended_ns=time.time_ns(), exit_code=exit_code))
    except OSError as error:
        return f"cannot write '{directory / NAME}': {error.strerror}"
    return None


def _write(directory: Path, journal: Journal) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=directory)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(asdict(journal), file, indent=1)
            file.write("\n")
            os.fchmod(file.fileno(), 0o644)
        temporary.replace(directory / NAME)
    except BaseException:
        temporary.unlink()
        raise


def _stdout_file() -> str | None:
    try:
        return str(Path("/proc/self/fd/1").readlink()) if stat.S_ISREG(os.fstat(1).st_mode) else None
    except OSError:
        return None
