"""Which records belong to one launch, where a script started MPI programs one after another, or at the same time.

Each launch has an MPI_COMM_WORLD of its own, with a rank 0. Ranks of two of them must never be taken for one job.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from clearway.run.layout import SegmentKind, text
from clearway.run.reader import Record, UnreadableRecordError


@dataclass(slots=True)
class _Launch:
    """One that is being put together."""

    world_size: int
    records: list[Record] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)

    def may_have(self, rank: int, world_size: int) -> bool:
        return self.world_size == world_size and rank not in self.ranks


def launches(records: Iterable[Record]) -> list[list[Record]]:
    """Groups of records that have learned their rank, each rank once in a group; in the order in which they began.

    Those that a launcher gave the same name are one launch (PMIx: Open MPI, srun). The others are joined as they began:
    what has a rank that the newest launch has already belongs to the next one.
    """
    found: list[_Launch] = []
    named: dict[str, _Launch] = {}
    in_order = sorted(records, key=_began_ns)
    ambiguous = len({int(record.header["rank"]) for record in in_order}) < len(in_order)
    for record in in_order:
        rank, world_size = int(record.header["rank"]), int(record.header["world_size"])
        name = fact(record, b"process.launch") if ambiguous else None
        candidates = [named[name]] if name in named else [] if name else reversed(found)
        mine = next((launch for launch in candidates if launch.may_have(rank, world_size)), None)
        if mine is None:
            mine = _Launch(world_size)
            found.append(mine)
        if name:
            named[name] = mine
        mine.records.append(record)
        mine.ranks.add(rank)
    return [launch.records for launch in found]


def fact(record: Record, name: bytes) -> str | None:
    """What the record of one process says under this name; None where it says nothing, or cannot be read."""
    try:
        facts = record.read(frozenset({SegmentKind.FACTS}))[SegmentKind.FACTS]
    except UnreadableRecordError:
        return None
    return next((text(value) for key, value in facts.tolist() if key == name), None)


def cpu_s(record: Record) -> float:
    """CPU time of all threads of the process, while it was recorded; 0 where the record cannot be read."""
    try:
        counters = record.read(frozenset({SegmentKind.COUNTERS}))[SegmentKind.COUNTERS]
    except UnreadableRecordError:
        return 0.0
    mine = counters[counters["name"] == b"process.cpu_all_threads_ns"]
    return float((mine["last"].astype(float) - mine["first"]).sum()) * 1e-9


def recorded_ns(record: Record) -> int:
    """From the record's begin to its last sign of life."""
    header = record.header
    newest = header["heartbeat"][int(header["heartbeat_index"]) & 1]
    return int(newest["monotonic_ns"]) - int(header["start"]["monotonic_ns"])


def process_start_ns(record: Record) -> int:
    """CLOCK_MONOTONIC when the process began: what the kernel says, where that is believable."""
    recording_ns = int(record.header["start"]["monotonic_ns"])
    said_ns = int(record.header["process_start_monotonic_ns"])
    day_ns = 86_400 * 10**9
    return said_ns if recording_ns - day_ns <= said_ns <= recording_ns and said_ns > 0 else recording_ns


def lived_ns(record: Record) -> int:
    """From the begin of the process to its last sign of life: its wall-clock on the page."""
    return recorded_ns(record) + int(record.header["start"]["monotonic_ns"]) - process_start_ns(record)


def _began_ns(record: Record) -> tuple[int, str]:
    return int(record.header["start"]["realtime_ns"]), record.path.name
