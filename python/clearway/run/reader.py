"""Reads one record file, trusting no number in it.

Reading copies: a record that is still being written cannot change under the analysis, and a file that is cut
while it is read gives an error instead of a signal. Nothing is allocated for more elements than the file really
holds, nor for more than `layout.ELEMENT` allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clearway.base.errors import ClearwayError
from clearway.run import layout
from clearway.run.clock import valid_instants
from clearway.run.layout import SegmentKind
from clearway.run.packed import Source

HIGHEST_EVENT_LEVEL = 32  # the recorder stops at 24


DAMAGED = "copy the Run again from where it was recorded, or record the job again"
CLOSED = "ask its owner to let you read it: chmod -R a+rX DIR"


class UnreadableRecordError(ClearwayError):
    """A file that is no Run record, or not one that this version can read."""

    def __init__(self, message: str, hint: str = DAMAGED) -> None:
        super().__init__(message, hint)


class UnbegunRecordError(UnreadableRecordError):
    """A record whose process was killed between the file's creation and its first clock reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} ends before its first clock reading", "its process was killed while it started")


@dataclass(frozen=True, slots=True)
class Segment:
    """One array of the file: `count` whole elements at `offset`. `written` is the ring's own running count."""

    kind: SegmentKind
    thread: int
    offset: int
    count: int
    written: int


@dataclass(frozen=True, slots=True)
class Record:
    """Header and directory of one file; `read` brings the arrays. `cut` says that the file ends too early.

    `thinning`: events are left in one slice out of 2^thinning (events.SLICES), since it was gathered.
    """

    path: Path
    header: np.void
    segments: tuple[Segment, ...]
    cut: bool
    thinning: int = 0

    def count(self, kind: SegmentKind) -> int:
        """How many elements of this kind there are to read."""
        return sum(segment.count for segment in self.segments if segment.kind == kind)

    def read(self, kinds: frozenset[SegmentKind]) -> dict[SegmentKind, NDArray[np.void]]:
        """The elements of the kinds asked for, segments joined in order. Every kind asked for is a key."""
        parts: dict[SegmentKind, list[NDArray[np.void]]] = {kind: [] for kind in kinds}
        with _open(self.path) as file:
            for segment in self.segments:
                if segment.kind in parts and segment.count:
                    parts[segment.kind].append(_read_segment(file, segment, self.path))
        return {kind: _joined(kind, arrays) for kind, arrays in parts.items()}


def open_record(path: Path) -> Record:
    """Reads header and directory of `path`. Raises UnreadableRecordError with one clear sentence."""
    with _open(path) as file:
        size, thinning = file.size, file.thinning
        raw = _read(file, layout.FIRST_SEGMENT_OFFSET, 0, path)
    if not raw[: len(layout.MAGIC)].strip(b"\0"):
        raise UnbegunRecordError(path)
    if raw[: len(layout.MAGIC)] != layout.MAGIC:
        raise UnreadableRecordError(
            f"{path} is not a Clearway record", "the directory of a recorded job has *.cwr files"
        )
    if len(raw) < layout.FIRST_SEGMENT_OFFSET:
        raise UnreadableRecordError(f"{path} is cut short: {len(raw)} bytes, less than its header")
    header = np.frombuffer(raw, layout.FILE_HEADER, 1)[0]
    _check_header(header, path)
    if int(header["event_level"]) + thinning > HIGHEST_EVENT_LEVEL:
        raise UnreadableRecordError(f"{path} is corrupt: it claims that events were thinned {thinning} times")
    count = min(int(header["segment_count"]), layout.MAX_SEGMENTS)
    entries = np.frombuffer(raw, layout.SEGMENT_ENTRY, count, layout.HEADER_BYTES)
    segments, cut = _segments(entries, size, path)
    return Record(path, header, segments, cut, thinning)


def _open(path: Path) -> Source:
    try:
        return Source(path)
    except OSError as error:
        hint = CLOSED if isinstance(error, PermissionError) else DAMAGED
        raise UnreadableRecordError(f"cannot open {path}: {error.strerror}", hint) from error


def _read(file: Source, size: int, offset: int, path: Path) -> bytes:
    try:
        return file.read(size, offset)
    except OSError as error:
        raise UnreadableRecordError(f"cannot read {path}: {error.strerror}") from error


def _check_header(header: np.void, path: Path) -> None:
    if header["byte_order"] != layout.BYTE_ORDER:
        raise UnreadableRecordError(
            f"{path} was written on a machine with the other byte order", "read it on a machine like that one"
        )
    version = int(header["version"])
    if version != layout.VERSION:
        age = "a newer" if version > layout.VERSION else "an older"
        raise UnreadableRecordError(
            f"{path} was written by {age} Clearway: record version {version}, this one reads version {layout.VERSION}",
            "read it with the version of Clearway that recorded it",
        )
    if header["header_bytes"] != layout.HEADER_BYTES:
        raise UnreadableRecordError(f"{path} is corrupt: its header claims {header['header_bytes']} bytes")
    rank, world_size = int(header["rank"]), int(header["world_size"])
    if rank < -1 or world_size < 0 or (rank >= 0 and rank >= world_size):
        raise UnreadableRecordError(f"{path} is corrupt: it claims to be rank {rank} of {world_size}")
    if header["event_level"] > HIGHEST_EVENT_LEVEL:
        raise UnreadableRecordError(f"{path} is corrupt: it claims event level {header['event_level']}")
    if not len(valid_instants(header)):
        raise UnbegunRecordError(path)


def _segments(entries: NDArray[np.void], file_bytes: int, path: Path) -> tuple[tuple[Segment, ...], bool]:
    known = {int(kind) for kind in SegmentKind}
    segments: list[Segment] = []
    cut = False
    total = 0
    for kind_number, element_bytes, thread, offset, capacity, written in entries.tolist():
        if kind_number not in known:
            continue  # a newer recorder's extra: the version says that the rest is as we know it
        kind = SegmentKind(kind_number)
        element, limit = layout.ELEMENT[kind]
        if element_bytes != element.itemsize:
            raise UnreadableRecordError(f"{path} is corrupt: {kind.name.lower()} of {element_bytes} bytes each")
        inside = max(0, file_bytes - offset) // element_bytes if offset >= layout.FIRST_SEGMENT_OFFSET else 0
        wanted = min(written, capacity)
        count = min(wanted, inside, limit)
        cut = cut or count < wanted
        total += count * element_bytes
        segments.append(Segment(kind, thread, offset, count, written))
    if total > file_bytes:
        raise UnreadableRecordError(f"{path} is corrupt: its segments overlap")
    return tuple(segments), cut


def _read_segment(file: Source, segment: Segment, path: Path) -> NDArray[np.void]:
    element, _ = layout.ELEMENT[segment.kind]
    raw = _read(file, segment.count * element.itemsize, segment.offset, path)
    array = np.frombuffer(raw, element, len(raw) // element.itemsize)
    if segment.kind is not SegmentKind.TIMELINE:
        return array
    if segment.written > segment.count > 0:
        array = np.roll(array, -(segment.written % segment.count))  # the ring's oldest element first
    whole = array["function"] != 0  # one that a rank was writing when it was killed has none yet
    return array if whole.all() else array[whole]


def _joined(kind: SegmentKind, arrays: list[NDArray[np.void]]) -> NDArray[np.void]:
    element, limit = layout.ELEMENT[kind]
    if not arrays:
        return np.empty(0, element)
    return arrays[0] if len(arrays) == 1 else layout.joined(element, arrays)[:limit]
