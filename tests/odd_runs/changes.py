"""Odd Runs made of real ones: a seed says what is changed in which of their records.

What is changed are the arrays that the recorder writes, by name of their fields. So nothing comes about that no file on
a disk could hold, and each change can be told in words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clearway.run import layout
from clearway.run.layout import SegmentKind
from clearway.run.packed import Source

MOST = 1 << 40  # of the bytes of a record
UNTOUCHED = ("id", "index", "path", "name", "tid", "thread", "reserved")  # fields by which things find each other
TIMES = ("ticks", "realtime_ns")  # that may step; CLOCK_MONOTONIC never does
INSTANTS = ("start", "mpi_begin", "mpi_end", "heartbeat")

Records = dict[str, bytearray]  # by name of the file


@dataclass(frozen=True, slots=True)
class Segment:
    """One array of a record. `entry`: where the file's directory tells of it."""

    kind: SegmentKind
    entry: int
    data: NDArray[np.void]  # a view: what is written into it is written into the record


def kept(folder: Path) -> Records:
    """The records of a stored Run, unpacked."""
    found: Records = {}
    for path in sorted(folder.glob("*.cwr")):
        with Source(path) as source:
            found[path.name] = bytearray(source.read(MOST, 0))
    return found


def change(records: Records, chance: random.Random) -> str:
    """Makes one change, and says which."""
    return chance.choice(CHANGES)(records, chance)


def header_of(record: bytearray) -> NDArray[np.void]:
    return np.frombuffer(record, layout.FILE_HEADER, 1)


def segments(record: bytearray) -> Iterator[Segment]:
    """Those that have elements."""
    size = layout.SEGMENT_ENTRY.itemsize
    for number in range(int(header_of(record)["segment_count"][0])):
        entry = layout.HEADER_BYTES + number * size
        row = np.frombuffer(record, layout.SEGMENT_ENTRY, 1, entry)[0]
        count = min(int(row["count"]), int(row["capacity"]))
        if int(row["kind"]) in set(SegmentKind) and count:
            kind = SegmentKind(int(row["kind"]))
            yield Segment(kind, entry, np.frombuffer(record, layout.ELEMENT[kind][0], count, int(row["offset"])))


def _some(records: Records, chance: random.Random, beginning: str = "") -> list[str]:
    """One of the records, or all of them."""
    names = [name for name in records if name.startswith(beginning)]
    return names if chance.random() < 0.4 or len(names) < 2 else [chance.choice(names)]


def _kinds(records: Records, names: list[str], but: SegmentKind) -> list[SegmentKind]:
    """What these have elements of."""
    return sorted({each.kind for name in names for each in segments(records[name])} - {but}) or [but]


def _column(records: Records, chance: random.Random) -> tuple[str, list[NDArray[np.integer]]]:
    """A field of one kind of elements, in some records, and its name."""
    names = _some(records, chance)
    kind = chance.choice(_kinds(records, names, SegmentKind.FACTS))
    element = layout.ELEMENT[kind][0]
    fields = [
        field
        for field in element.names or ()
        if element[field].base.kind in "ui" and not field.startswith(UNTOUCHED) and field != "commit"
    ]
    if not fields:
        return "", []
    field = chance.choice(fields)
    found = [each.data[field] for name in names for each in segments(records[name]) if each.kind == kind]
    return f"{kind.name.lower()}.{field}", found


def _filled(word: str, make: Callable[[NDArray[np.integer], random.Random], object]) -> Callable[..., str]:
    def make_change(records: Records, chance: random.Random) -> str:
        name, columns = _column(records, chance)
        for column in columns:
            column[...] = make(column, chance)
        return f"{name} {word}"

    return make_change


def _scaled(column: NDArray[np.integer], chance: random.Random) -> object:
    """By a power of ten, and not beyond what the type holds."""
    factor = 10.0 ** chance.choice((-9, -6, -3, -1, 1, 3, 6, 9))
    return np.minimum(column * factor, np.iinfo(column.dtype).max // 2).astype(column.dtype)


def _scattered(column: NDArray[np.integer], chance: random.Random) -> object:
    most = np.iinfo(column.dtype).max
    flat = [chance.choice((0, 1, int(value), int(value) // 2, most // 2, most)) for value in column.flat]
    return np.array(flat, column.dtype).reshape(column.shape)


def _turned(column: NDArray[np.integer], chance: random.Random) -> object:
    """What rose falls."""
    return column[::-1].copy()


def _without_segment(records: Records, chance: random.Random) -> str:
    names = _some(records, chance)
    kind = chance.choice(_kinds(records, names, SegmentKind.FUNCTIONS))
    for name in names:
        for each in [*segments(records[name])]:
            if each.kind == kind:
                np.frombuffer(records[name], layout.SEGMENT_ENTRY, 1, each.entry)["count"][...] = 0
    return f"no {kind.name.lower()}"


def _exchanged(records: Records, chance: random.Random) -> str:
    """Counters fall instead of rising, or what ended begins."""
    first, last = chance.choice((("first", "last"), ("begin_ticks", "end_ticks"), ("entry_ticks", "exit_ticks"),
                                 ("first_ticks", "last_ticks")))  # fmt: skip
    for name in _some(records, chance):
        for each in segments(records[name]):
            if {first, last} <= set(each.data.dtype.names or ()):
                before = each.data[first].copy()
                each.data[first][...] = each.data[last]
                each.data[last][...] = before
    return f"{first} and {last} exchanged"


def _clock_steps(records: Records, chance: random.Random) -> str:
    """One clock of an instant is elsewhere: before the start, at it, or much later."""
    which, clock = chance.choice(INSTANTS), chance.choice(TIMES)
    step = chance.choice((-(10**12), -(10**9), -(10**7), 10**7, 10**9, 10**12))
    for name in _some(records, chance):
        instant = header_of(records[name])[which]
        instant[clock][...] = np.maximum(instant[clock].astype(np.int64) + step, 1).astype(np.uint64)
    return f"{clock} of {which} steps by {step}"


def _no_time(records: Records, chance: random.Random) -> str:
    """The record ends when it begins."""
    for name in _some(records, chance):
        header = header_of(records[name])
        for which in INSTANTS[1:]:
            header[which][...] = header["start"]
    return "no time passes"


def _fewer_records(records: Records, chance: random.Random) -> str:
    way = chance.choice(("one rank only", "no host", "a rank less"))
    ranks = [name for name in records if name.startswith("rank")]
    gone = {
        "one rank only": ranks[1:],
        "no host": [name for name in records if name.startswith("host")],
        "a rank less": [chance.choice(ranks)] if len(ranks) > 1 else [],
    }[way]
    for name in gone:
        del records[name]
    return way


def _another_end(records: Records, chance: random.Random) -> str:
    state, code = chance.randint(0, 5), chance.choice((0, 1, 137, -9))
    for name in _some(records, chance, "rank"):
        header = header_of(records[name])
        header["state"][...], header["exit_code"][...] = state, code
        header["mpi_end"][...] = chance.choice((header["mpi_end"], header["start"], np.zeros(1, layout.INSTANT)))
    return f"state {state}, exit code {code}"


def _larger_world(records: Records, chance: random.Random) -> str:
    size = chance.choice((1_000, 1 << 20))
    for name in records:
        if name.startswith("rank"):
            header_of(records[name])["world_size"][...] = size
    return f"{size} ranks were expected"


CHANGES: tuple[Callable[[Records, random.Random], str], ...] = (
    _filled("zero", lambda column, chance: 0),
    _filled("at its most", lambda column, chance: np.iinfo(column.dtype).max),
    _filled("scaled", _scaled),
    _filled("scaled", _scaled),
    _filled("scattered", _scattered),
    _filled("turned", _turned),
    _without_segment,
    _without_segment,
    _exchanged,
    _clock_steps,
    _no_time,
    _fewer_records,
    _another_end,
    _larger_world,
)
