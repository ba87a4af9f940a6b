"""What a job itself wrote of a file, and nobody else: other jobs write into the same log before, after, and over it.

The record tells which part of which file (by inode) each process wrote, and how the file stood when it was closed;
run.json tells the same of standard output. A file in which anybody has written since is left alone.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from clearway.run.layout import FILE_DELETED, FILE_PATH_CUT, FILE_SHARED, SegmentKind, State
from clearway.run.reader import Record, UnreadableRecordError
from clearway.run.run import Launch

MOST_RECORDS = 64  # ranks; an engine's log is written by the first
MOST_NAMES = 10_000  # in the folder of a log that was renamed
SLACK_NS = 100_000_000  # a buffer is written out when its process has already said goodbye
ALIVE_NS = 5_000_000_000  # since the last heartbeat: a process that runs, and may write at any moment
SECOND_NS = 1_000_000_000


class Traces(Protocol):
    """What of a Run tells about its files."""

    @property
    def directory(self) -> Path: ...
    @property
    def job(self) -> str: ...
    @property
    def launch(self) -> Launch | None: ...
    @property
    def records(self) -> tuple[Record, ...]: ...


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Bytes `begin` to `end` of a file."""

    path: Path
    begin: int
    end: int


def excerpts(traces: Traces) -> Iterator[Excerpt]:
    """What the job wrote, where it is still there: the likeliest log first.

    Standard output comes last: two jobs of a script may print there at the same time.
    """
    written = [excerpt for record in traces.records[:MOST_RECORDS] for excerpt in _of_process(record, traces.launch)]
    yield from sorted(written, key=lambda excerpt: excerpt.path.suffix not in (".log", ".out"))
    printed = _standard_output(traces)
    if printed is not None:
        yield printed


def last_sign_ns(traces: Traces) -> int:
    """When the job was last known to live, on the clock of the files (CLOCK_REALTIME)."""
    signs = [_heartbeat_ns(record) for record in traces.records]
    if traces.launch is not None and traces.launch.ended_ns is not None:
        signs.append(traces.launch.ended_ns)
    return max(signs, default=0)


def _standard_output(traces: Traces) -> Excerpt | None:
    launch = traces.launch
    if launch is None or launch.stdout is None or launch.stdout_begin is None or launch.stdout_inode is None:
        return None
    path, status = _find(Path(launch.stdout), launch.stdout_inode)
    if path is None or status is None:
        return None
    if not _silent_since(status, last_sign_ns(traces), launch.ended_ns is None):
        return None
    end = status.st_size if launch.stdout_end is None else launch.stdout_end
    return Excerpt(path, launch.stdout_begin, end) if launch.stdout_begin < end <= status.st_size else None


def _of_process(record: Record, launch: Launch | None) -> Iterator[Excerpt]:
    try:
        arrays = record.read(frozenset({SegmentKind.FILES, SegmentKind.OUTPUTS}))
    except UnreadableRecordError:
        return
    files = arrays[SegmentKind.FILES]
    for output in arrays[SegmentKind.OUTPUTS]:
        if output["file"] < len(files) and output["inode"]:
            excerpt = _of_file(files[output["file"]], output, record, launch)
            if excerpt is not None:
                yield excerpt


def _of_file(file: np.void, output: np.void, record: Record, launch: Launch | None) -> Excerpt | None:
    name = bytes(file["path"])
    if not name.startswith(b"/") or file["flags"] & (FILE_DELETED | FILE_PATH_CUT | FILE_SHARED):
        return None
    path, status = _find(Path(os.fsdecode(name)), int(output["inode"]))
    if path is None or status is None:
        return None
    begin, end, size = int(output["begin"]), int(file["extent_bytes"]), status.st_size
    if output["closed_ns"]:
        untouched = _same_time(status.st_mtime_ns, int(output["closed_ns"])) and size == output["closed_bytes"] == end
    else:  # still open, or closed by the end of its process: what is in a buffer is not there yet
        ended_ns = launch.ended_ns if launch is not None else None
        alive = ended_ns is None and record.header["state"] != State.EXITED
        untouched = _silent_since(status, max(_heartbeat_ns(record), ended_ns or 0), alive) and size <= end
        end = size
    return Excerpt(path, begin, end) if untouched and begin < end else None


def _silent_since(status: os.stat_result, moment_ns: int, alive: bool) -> bool:
    """Whether nobody has written to the file after `moment_ns`. A process that is `alive` may have."""
    if alive and time.time_ns() - moment_ns < ALIVE_NS:
        return True
    return status.st_mtime_ns <= moment_ns + SLACK_NS


def _same_time(one_ns: int, other_ns: int) -> bool:
    """Some file systems keep whole seconds only, once the client has forgotten the rest."""
    if one_ns % SECOND_NS and other_ns % SECOND_NS:
        return one_ns == other_ns
    return one_ns // SECOND_NS == other_ns // SECOND_NS


def _heartbeat_ns(record: Record) -> int:
    header = record.header
    return int(header["heartbeat"][int(header["heartbeat_index"]) & 1]["realtime_ns"])


def _find(path: Path, inode: int) -> tuple[Path, os.stat_result] | tuple[None, None]:
    """The regular file that the job wrote: under its name, or under another one in that folder (#md.log.1#)."""
    for candidate in _namesakes(path, inode):
        with contextlib.suppress(OSError, ValueError):
            status = candidate.stat()
            if status.st_ino == inode and stat.S_ISREG(status.st_mode):
                return candidate, _newest_status(candidate)
    return None, None


def _newest_status(path: Path) -> os.stat_result:
    """Of a file that another node may have written a moment ago: NFS asks the server when a file is opened."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _namesakes(path: Path, inode: int) -> Iterator[Path]:
    yield path
    with contextlib.suppress(OSError, ValueError), os.scandir(path.parent) as entries:
        yield from (Path(entry.path) for entry in islice(entries, MOST_NAMES) if entry.inode() == inode)
