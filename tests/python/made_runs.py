"""Hand-made Runs for tests: real record files, byte for byte, with times that a person can add up.

One tick is a nanosecond on every made machine; second 0 is when the first process began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clearway.run import layout
from clearway.run.layout import EventKind, FileKind, FunctionClass, SegmentKind, State

SECOND = 10**9
REALTIME_NS = 1_750_000_000 * SECOND
MONOTONIC_NS = 5_000 * SECOND
TICKS = 1 << 44

CLASSES = {
    "MPI_Init": FunctionClass.LIFE,
    "MPI_Finalize": FunctionClass.LIFE,
    "MPI_Send": FunctionClass.SEND,
    "MPI_Recv": FunctionClass.RECEIVE,
    "MPI_Sendrecv": FunctionClass.SEND_RECEIVE,
    "MPI_Isend": FunctionClass.START,
    "MPI_Irecv": FunctionClass.START,
    "MPI_Wait": FunctionClass.WAIT,
    "MPI_Waitall": FunctionClass.WAIT,
    "MPI_Test": FunctionClass.POLL,
    "MPI_Iprobe": FunctionClass.POLL,
    "MPI_Probe": FunctionClass.PROBE,
    "MPI_Iallreduce": FunctionClass.COLLECTIVE_START,
    "MPI_Ibcast": FunctionClass.COLLECTIVE_START,
    "MPI_Allreduce_init": FunctionClass.COLLECTIVE_START,
    "MPI_Put": FunctionClass.ONE_SIDED,
    "MPI_Accumulate": FunctionClass.ONE_SIDED,
    "MPI_Win_fence": FunctionClass.ONE_SIDED,
    "MPI_Win_unlock": FunctionClass.ONE_SIDED,
    "MPI_Win_flush_all": FunctionClass.ONE_SIDED,
    "MPI_File_write": FunctionClass.MPI_IO,
    "MPI_File_sync": FunctionClass.MPI_IO,
    "MPI_Abort": FunctionClass.LIFE,
    "MPI_Comm_dup": FunctionClass.COMMUNICATOR,
    "MPI_Comm_free": FunctionClass.COMMUNICATOR,
    "MPI_Win_unlock_all": FunctionClass.ONE_SIDED,
    "MPI_Win_post": FunctionClass.ONE_SIDED,
    "MPI_Win_start": FunctionClass.ONE_SIDED,
    "MPI_Win_complete": FunctionClass.ONE_SIDED,
    "MPI_Win_wait": FunctionClass.ONE_SIDED,
    "MPI_File_open": FunctionClass.MPI_IO,
    "MPI_File_write_all": FunctionClass.MPI_IO,
    "MPI_File_close": FunctionClass.MPI_IO,
    "MPI_Comm_spawn": FunctionClass.COMMUNICATOR,
    "MPI_Comm_accept": FunctionClass.COMMUNICATOR,
    "MPI_Comm_connect": FunctionClass.COMMUNICATOR,
    "MPI_Cart_create": FunctionClass.COMMUNICATOR,
}
WINDOW_MS = 1000  # of a record that is thinned; a reader takes it from there
FUNCTIONS = (
    *CLASSES,
    *("MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Bcast", "MPI_Reduce", "MPI_Scan", "MPI_Neighbor_alltoall"),
    "MPI_Allgather",
)


@dataclass
class Machine:
    """A made computer: how far its clocks are ahead, and how much faster its tick counter runs."""

    name: str = "node0"
    boot_id: str = "boot-0"
    realtime_ahead_s: float = 0.0
    drift: float = 0.0

    def instant(self, second: float) -> tuple[int, int, int]:
        ns = round(second * (1 + self.drift) * SECOND)
        return TICKS + ns, MONOTONIC_NS + ns, REALTIME_NS + round(self.realtime_ahead_s * SECOND) + ns

    def ticks(self, second: float) -> int:
        return self.instant(second)[0]


@dataclass
class Rank:
    """One process's record. Methods take seconds; `write` makes the file."""

    rank: int
    world_size: int
    end_s: float = 10.0
    begin_s: float = 0.0
    recording_s: float = 0.0
    state: State = State.EXITED
    event_level: int = 0
    job: str = "job"
    machine: Machine = field(default_factory=Machine)
    thread: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    cells: dict[tuple[str, int, int, int], list[int]] = field(default_factory=dict)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    comms: list[tuple[Any, ...]] = field(default_factory=list)
    rows: dict[SegmentKind, list[tuple[Any, ...]]] = field(default_factory=dict)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.world_size:
            self.comms.append((0, 0, self.world_size, self.rank, 0, 77, b"MPI_COMM_WORLD"))

    def cell(
        self,
        function: str,
        seconds: float,
        *,
        count: int = 1,
        nbytes: int = 0,
        peer: int = layout.PEER_NONE,
        run_delay_s: float = 0.0,
        thread: int = 0,
    ) -> Rank:
        """Adds to the aggregate of a function."""
        key = (function, peer, (nbytes // count).bit_length(), thread)
        ticks = round(seconds * SECOND)
        cell = self.cells.setdefault(key, [0, 0, 0, 2**64 - 1, 0, 0])
        cell[0] += count
        cell[1] += ticks
        cell[2] += nbytes
        cell[3] = min(cell[3], ticks // count)
        cell[4] = max(cell[4], ticks // count)
        cell[5] += round(run_delay_s * SECOND)
        return self

    def event(
        self,
        kind: EventKind,
        function: str,
        entry_s: float,
        exit_s: float,
        *,
        seq: int | None = None,
        peer: int = layout.PEER_NONE,
        tag: int = 0,
        nbytes: int = 0,
        run_delay_s: float = 0.0,
        comm: int = 0,
        blocked_before_s: float = 0.0,
        io_before_s: float = 0.0,
        run_delay_before_s: float = 0.0,
    ) -> Rank:
        """Adds a single call's event, not its aggregate."""
        key = (kind == EventKind.COLLECTIVE or kind, comm, peer if kind != EventKind.COLLECTIVE else 0, tag)
        if seq is None:
            seq = self.numbers.get(key, 0)
            self.numbers[key] = seq + 1
        ticks = self.machine.ticks(entry_s), self.machine.ticks(exit_s)
        us = round(run_delay_s * 1e6)
        before = [round(seconds * 1e6) for seconds in (blocked_before_s, io_before_s, run_delay_before_s)]
        number = FUNCTIONS.index(function) + 1
        self.events.append((number, comm, peer, tag, seq, *ticks, nbytes, us, kind, layout.EVENT_COMMITTED, *before, 0))
        return self

    def collective(self, function: str, entry_s: float, exit_s: float, **more: Any) -> Rank:
        """A blocking collective: aggregate and event."""
        self.cell(function, exit_s - entry_s, nbytes=more.get("nbytes", 0), run_delay_s=more.get("run_delay_s", 0.0))
        return self.event(EventKind.COLLECTIVE, function, entry_s, exit_s, **more)

    def started(
        self, function: str, start_s: float, entry_s: float, exit_s: float, by: str = "MPI_Wait", **more: Any
    ) -> Rank:
        """A collective that starts at an instant, and the call that completes it."""
        self.cell(function, 0.0).cell(by, exit_s - entry_s)
        self.event(EventKind.STARTED, function, start_s, start_s, **more)
        return self.event(EventKind.COMPLETED, by, entry_s, exit_s, **more)

    def send(self, peer: int, entry_s: float, exit_s: float, function: str = "MPI_Send", **more: Any) -> Rank:
        self.cell(
            function,
            exit_s - entry_s,
            peer=peer,
            nbytes=more.get("nbytes", 0),
            run_delay_s=more.get("run_delay_s", 0.0),
        )
        return self.event(EventKind.SEND, function, entry_s, exit_s, peer=peer, **more)

    def receive(self, peer: int, entry_s: float, exit_s: float, function: str = "MPI_Recv", **more: Any) -> Rank:
        self.cell(function, exit_s - entry_s, peer=peer, run_delay_s=more.get("run_delay_s", 0.0))
        return self.event(EventKind.RECEIVE, function, entry_s, exit_s, peer=peer, **more)

    def one_sided(
        self, target: int, entry_s: float, exit_s: float, function: str = "MPI_Win_unlock", **more: Any
    ) -> Rank:
        self.cell(function, exit_s - entry_s, peer=target)
        return self.event(EventKind.ONE_SIDED, function, entry_s, exit_s, peer=target, **more)

    def add(self, kind: SegmentKind, **values: Any) -> Rank:
        """Adds an element of any kind by field name; what is not named is zero."""
        element, _ = layout.ELEMENT[kind]
        row = np.zeros((), element)
        for name, value in values.items():
            row[name] = value
        self.rows.setdefault(kind, []).append(row)
        return self

    def fact(self, name: str, text: str) -> Rank:
        return self.add(SegmentKind.FACTS, name=name.encode(), text=text.encode())

    def path(self) -> str:
        return f"rank.{self.machine.name}.{1000 + self.rank}.cwr"

    def write(self, directory: Path) -> Path:
        directory.mkdir(exist_ok=True)
        path = directory / self.path()
        path.write_bytes(self.record())
        return path

    def record(self) -> bytes:
        """The file's bytes."""
        functions = np.zeros(len(FUNCTIONS), layout.FUNCTION_NAME)
        for number, name in enumerate(FUNCTIONS):
            functions[number] = (number + 1, CLASSES.get(name, FunctionClass.COLLECTIVE), name.encode())
        thread = np.zeros(1, layout.THREAD_CELL)
        thread["is_main"] = 1
        for name, value in self.thread.items():
            thread[name] = value
        calls = np.zeros(len(self.cells), layout.CALL_CELL)
        for row, ((function, peer, size_bin, of_thread), cell) in zip(calls, self.cells.items(), strict=True):
            row["function"], row["peer"], row["size_bin"] = FUNCTIONS.index(function) + 1, peer, size_bin
            row["thread"] = of_thread
            for name, value in zip(
                ("count", "ticks", "bytes", "min_ticks", "max_ticks", "run_delay_ns"), cell, strict=True
            ):
                row[name] = value
        segments = [
            (SegmentKind.FUNCTIONS, functions),
            (SegmentKind.THREADS, thread),
            (SegmentKind.COMMS, np.array(self.comms, layout.COMM_CELL)),
            (SegmentKind.CALLS, calls),
            (SegmentKind.EVENTS, np.array(self.events, layout.EVENT_RECORD)),
        ]
        for kind, rows in self.rows.items():
            segments.append((kind, np.array(rows, layout.ELEMENT[kind][0])))
        return self._assembled(segments, FileKind.RANK)

    def host_record(self, facts: dict[str, str], counters: dict[str, tuple[int, int]]) -> bytes:
        """The bytes of this machine's host file."""
        said = np.array([(name.encode(), text.encode()) for name, text in facts.items()], layout.FACT)
        counted = np.array([(name.encode(), *values) for name, values in counters.items()], layout.COUNTER)
        return self._assembled([(SegmentKind.FACTS, said), (SegmentKind.COUNTERS, counted)], FileKind.HOST)

    def flow_record(self, *cells: dict[str, Any], trials: Sequence[tuple[int, ...]] = ()) -> bytes:
        """The bytes of this process's flow file."""
        array = np.zeros(len(cells), layout.FLOW_CELL)
        for row, cell in zip(array, cells, strict=True):
            for name, value in cell.items():
                row[name] = value.encode() if isinstance(value, str) else value
        tried = np.array(list(trials), layout.FLOW_TRIAL)
        return self._assembled([(SegmentKind.FLOW, array), (SegmentKind.FLOW_TRIALS, tried)], FileKind.FLOW)

    def io_record(self, cell: dict[str, Any], *sizes: tuple[int, int, int]) -> bytes:
        """The bytes of this process's I/O cache file."""
        totals = np.zeros(1, layout.IO_CACHE_CELL)
        for name, value in cell.items():
            totals[name] = value.encode() if isinstance(value, str) else value
        curve = np.array(list(sizes), layout.IO_SIZE_CELL)
        return self._assembled([(SegmentKind.IO_CACHE, totals), (SegmentKind.IO_SIZES, curve)], FileKind.IO_CACHE)

    def _assembled(self, segments: list[tuple[SegmentKind, Any]], kind: FileKind) -> bytes:
        header = np.zeros((), layout.FILE_HEADER)
        header["magic"], header["version"] = layout.MAGIC, layout.VERSION
        header["header_bytes"], header["byte_order"] = layout.HEADER_BYTES, layout.BYTE_ORDER
        header["kind"], header["state"], header["pid"] = kind, self.state, 1000 + self.rank
        header["rank"], header["world_size"] = self.rank, self.world_size
        header["event_level"], header["event_window_ms"] = self.event_level, WINDOW_MS
        header["start"] = self.machine.instant(self.recording_s)
        header["heartbeat"][1] = self.machine.instant(self.end_s)
        header["heartbeat_index"] = 1
        header["process_start_monotonic_ns"] = self.machine.instant(self.begin_s)[1]
        header["host"], header["boot_id"] = self.machine.name.encode(), self.machine.boot_id.encode()
        header["job"] = self.job.encode()
        header["segment_count"] = len(segments)
        directory = np.zeros(layout.MAX_SEGMENTS, layout.SEGMENT_ENTRY)
        body = bytearray()
        for entry, (segment_kind, array) in zip(directory, segments, strict=False):
            offset = layout.FIRST_SEGMENT_OFFSET + len(body)
            entry["kind"], entry["element_bytes"] = segment_kind, array.dtype.itemsize
            entry["offset"], entry["capacity"], entry["count"] = offset, len(array), len(array)
            body += array.tobytes()
            body += bytes(-len(body) % 4096)
        header["file_bytes"] = layout.FIRST_SEGMENT_OFFSET + len(body)
        for name, value in self.header.items():
            header[name] = value
        raw = header.tobytes()
        raw += bytes(layout.HEADER_BYTES - len(raw))
        raw += directory.tobytes()
        return raw + bytes(layout.FIRST_SEGMENT_OFFSET - len(raw)) + bytes(body)


def world(size: int, **more: Any) -> list[Rank]:
    """Ranks 0 to size-1 of one job on one machine."""
    return [Rank(rank, size, **more) for rank in range(size)]


def write_all(ranks: list[Rank], directory: Path) -> Path:
    for rank in ranks:
        rank.write(directory)
    return directory


def connect(rank: Rank, peer: int) -> Rank:
    """A TCP connection 10.0.0.<rank>:5000 to 10.0.0.<peer>:5000."""
    addresses = [bytes([10, 0, 0, number]) + bytes(12) for number in (rank.rank, peer)]
    return rank.add(
        SegmentKind.SOCKETS,
        family=2,
        local_port=5000,
        peer_port=5000,
        local_address=addresses[0],
        peer_address=addresses[1],
    )
