"""run.json: what `clearway run` knows of a job and no rank can tell. Whole at every instant."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import current_umask
from clearway.job.batch import in_batch_job
from clearway.job.out_of_memory import Killed

NAME = "run.json"


@dataclass(frozen=True, slots=True)
class Journal:
    """The content of run.json. Times are nanoseconds of CLOCK_REALTIME; None: the job has not ended."""

    command: tuple[str, ...]  # as typed
    job: str  # the token in the header of each of the job's records
    started_ns: int
    stdout: str | None  # the file that the job's output goes to, if it is one
    stdout_inode: int | None = None
    stdout_begin: int | None = None  # the job prints there from this offset ...
    stdout_end: int | None = None  # ... to this one: others may print into the same file before and after
    ended_ns: int | None = None
    batch: Mapping[str, str] = field(default_factory=dict)  # the batch system's variables, of the recording command
    exit_code: int | None = None  # 128 + n when signal n ended the launcher
    oom_kills: int | None = None  # processes of our control group that the kernel killed for want of memory
    oom_kills_of_machine: int | None = None  # of anybody on this host
    is_script: bool = False  # the words of `command` are a batch script's: with its quotes, for a shell to read


def begin(directory: Path, command: Sequence[str], stdout: Path | None = None, is_script: bool = False) -> Journal:
    """Writes the first run.json in `directory`. `stdout`: where the job's output goes, if not where ours does."""
    journal = Journal(tuple(command), os.urandom(8).hex(), time.time_ns(), None, batch=in_batch_job(os.environ))
    journal = replace(journal, is_script=is_script)
    place = _own_stdout() if stdout is None else _Place(str(stdout), None, 0)
    if place is not None:
        journal = replace(journal, stdout=place.path, stdout_inode=place.inode, stdout_begin=place.offset)
    try:
        _write(directory, journal)
    except OSError as error:
        with contextlib.suppress(OSError):  # it was made for this job, which has nothing in it
            (directory / NAME).unlink(missing_ok=True)
            directory.rmdir()
        raise ClearwayError(
            f"cannot write to the Run directory '{directory}': {error.strerror}", "choose another directory: -o DIR"
        ) from None
    return journal


def end(directory: Path, journal: Journal, exit_code: int, killed: Killed | None = None) -> str | None:
    """Writes how the job ended. Returns why that was not possible: the job is over, it must not fail now."""
    if killed is not None:
        journal = replace(journal, oom_kills=killed.in_group, oom_kills_of_machine=killed.on_machine)
    if journal.stdout is not None and journal.stdout_inode is None:
        journal = _with_whole_file(journal, journal.stdout)
    elif (place := _own_stdout()) is not None and place.inode == journal.stdout_inode:
        journal = replace(journal, stdout_end=place.offset)
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
            os.fchmod(file.fileno(), 0o666 & ~current_umask())
        temporary.replace(directory / NAME)
    except BaseException:
        temporary.unlink()
        raise


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a file the next line will be printed."""

    path: str
    inode: int | None
    offset: int


def _own_stdout() -> _Place | None:
    """Our standard output, which the job shares, and with it the offset. None where it is no file."""
    try:
        status = os.fstat(1)
        if not stat.S_ISREG(status.st_mode):
            return None
        appends = fcntl.fcntl(1, fcntl.F_GETFL) & os.O_APPEND
        offset = status.st_size if appends else os.lseek(1, 0, os.SEEK_CUR)
        return _Place(str(Path("/proc/self/fd/1").readlink()), status.st_ino, offset)
    except OSError:
        return None


def _with_whole_file(journal: Journal, path: str) -> Journal:
    """The job had the file for itself."""
    try:
        status = Path(path).stat()
    except OSError:
        return journal
    return replace(journal, stdout_inode=status.st_ino, stdout_end=status.st_size)
