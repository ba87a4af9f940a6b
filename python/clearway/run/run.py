"""A whole Run: the records of all processes of one job, as arrays with a process column.

A process index is a position in `Run.processes`, which is sorted by rank. Times are seconds on one axis for
the whole Run, whose zero is the start of its first process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clearway.run import layout
from clearway.run.events import Events
from clearway.run.layout import SegmentKind, State, text
from clearway.run.names import Communicators, Functions, renumbered
from clearway.run.pairing import Collectives, Messages
from clearway.run.reader import Record

PROCESS = np.dtype(
    [
        ("rank", np.int32),
        ("pid", np.int32),
        ("host", np.int32),  # index into Run.host_names
        ("machine", np.int32),  # processes of equal machine share one clock (boot id)
        ("aligned", np.bool_),  # its clock could be compared with that of rank 0's machine
        ("state", np.uint32),  # layout.State
        ("exit_code", np.int32),
        ("world_size", np.int32),
        ("event_level", np.uint32),
        ("begin_s", np.float64),  # the process began
        ("recording_s", np.float64),  # its record began
        ("end_s", np.float64),  # its record ends
        ("seconds_per_tick", np.float64),
        ("tick_origin", np.uint64),  # this tick count ...
        ("origin_s", np.float64),  # ... is this second
        ("realtime_origin_ns", np.int64),  # CLOCK_REALTIME of it
    ]
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Elements of one kind from all processes: `data` has the fields of layout.py, `process` says whose each is."""

    process: NDArray[np.int32]
    data: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.process)


@dataclass(frozen=True, slots=True)
class Calls:
    """CallCells of all processes; `function` and `comm` are the Run's numbers, `data` the rest of the cell."""

    process: NDArray[np.int32]
    function: NDArray[np.int32]
    comm: NDArray[np.int32]
    main: NDArray[np.bool_]  # made by the thread whose times are the rank's
    data: NDArray[np.void]

    def __len__(self) -> int:
        return len(self.process)


@dataclass(frozen=True, slots=True)
class Timeline:
    """One process's ring of calls, oldest first. `file` is an index into that process's file cells, or -1."""

    process: int
    function: NDArray[np.int32]
    comm: NDArray[np.int32]
    file: NDArray[np.int32]
    peer: NDArray[np.int32]
    entry_s: NDArray[np.float64]
    exit_s: NDArray[np.float64]
    bytes: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Waits:
    """What the calls wait for in which the record of each process ends."""

    process: NDArray[np.int32]
    comm: NDArray[np.int32]  # number of the Run
    data: NDArray[np.void]  # OPEN_CALL


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What one host said of itself: facts by name, counters as (at the start, at the end) by name."""

    name: str
    facts: dict[str, str]
    counters: dict[str, tuple[int, int]]
    counted_s: float = 0.0  # how long it counted: of a script, while all of its launches ran; 0 where nobody tells
    # CPU time there of what else is on record, before and after the launch that is shown:
    other_launches_s: float = 0.0  # ranks of other launches
    helpers_apart_s: float = 0.0  # other programs of the script
    launches_beside_s: float = 0.0  # and of ranks of other launches, while it ran, on the same processors


@dataclass(frozen=True)
class Launch:
    """What `clearway run` wrote about the command that it started (run.json)."""

    command: tuple[str, ...]
    exit_code: int | None
    started_ns: int | None  # CLOCK_REALTIME
    ended_ns: int | None
    stdout: str | None  # path, when it went into a file
    stdout_inode: int | None = None
    stdout_begin: int | None = None  # the job printed from here ...
    stdout_end: int | None = None  # ... to here
    oom_kills: int | None = None  # processes of its control group that the kernel killed for want of memory
    oom_kills_of_machine: int | None = None  # of anybody on the host of the launcher
    batch: Mapping[str, str] = field(default_factory=dict)  # the batch system's variables, by name
    is_script: bool = False  # `command` is a batch script's line, quotes and all


@dataclass(frozen=True, slots=True)
class Outside:
    """What the command of a launch did while none of its MPI programs ran."""

    seconds: float
    whole_s: float  # that the command ran
    programs: tuple[tuple[str, float], ...]  # what ran then, as far as it is on record, and for how long; longest first


@dataclass(frozen=True, slots=True)
class Queued:
    """Steps of one Slurm job that waited for the cores of another one."""

    longest_s: float
    steps: int  # that waited
    launches: int
    command: str  # of the one that waited longest


@dataclass(frozen=True, slots=True)
class Besides:
    """Other launches of the same command, where they have most of all rank-seconds."""

    launches: int  # with the one that is shown
    shown: float  # its share of the rank-seconds
    programs: tuple[tuple[str, float], ...]  # of the others, with their rank-seconds; most first


@dataclass(frozen=True)
class Run:
    """One job. Made by `clearway.run.load`."""

    directory: Path
    job: str
    launch: Launch | None
    notes: tuple[str, ...]
    records: tuple[Record, ...]  # by process index
    processes: NDArray[np.void]  # PROCESS
    host_names: tuple[str, ...]
    functions: Functions
    communicators: Communicators
    threads: Rows  # the main thread of each process
    main_call: NDArray[np.int32]  # by process: function of the MPI call its main thread is in, 0 for none
    waits: Waits
    calls: Calls
    events: Events
    event_level: int  # highest of all processes
    event_window_ms: int  # windows of realtime of so many, aligned to multiples of it, are kept whole or not at all
    collectives: Collectives  # which of the events are one collective call
    started: Collectives  # likewise of those that one call starts and another completes: the calls that start them
    sources: Mapping[tuple[int, int], tuple[int, ...]]  # ranks that (process, communicator) has as its neighbours
    messages: Messages  # and which are the two ends of one message
    posts: Messages  # and which sends went to which posts of a receive
    probes: Messages  # and which were found by which probes
    files: Rows
    sockets: Rows
    stalls: Rows
    facts: Rows
    counters: Rows
    activities: Rows  # what the main threads were found doing
    readings: Rows  # what the main threads' times had come to, by process in order of time
    thread_uses: Rows  # what each thread of a process had of the processors
    concurrency: Rows  # how many threads were at work at once
    cores: Rows  # on which processors threads were found at work
    code_ranges: Rows  # which files the sampled instructions are of
    code_samples: Rows  # at which instructions threads were found
    teams: Rows  # what OpenMP runtimes did, by thread
    mpi_files: Rows  # what was done with files through MPI-IO
    locks: Rows  # how long each process waited for locks, by its file
    threads_at: Rows  # what the threads had come to, by process in order of time
    hosts: tuple[HostRecord, ...]
    flow: Rows  # FlowCells; `process` tells the files apart
    flow_trials: Rows  # FlowTrials, likewise
    io_cache: Rows  # IoCacheCells, likewise
    io_sizes: Rows  # IoSizeCells, likewise
    dropped: NDArray[np.uint64]  # elements without room, by SegmentKind, summed over processes
    realtime_zero_ns: int  # CLOCK_REALTIME at second 0
    clock_error_s: float | None  # of aligning the machines; None when it cannot be known
    outside: Outside | None = None  # where that is worth telling
    queued: Queued | None = None  # likewise
    besides: Besides | None = None  # likewise

    def seconds(self, process: NDArray[np.int32], ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Durations in ticks as seconds."""
        rate: NDArray[np.float64] = self.processes["seconds_per_tick"][process]
        return ticks * rate

    @cached_property
    def process_of_rank(self) -> dict[int, int]:
        """Process index by rank."""
        return {rank: index for index, rank in enumerate(self.processes["rank"].tolist())}

    def fact(self, name: str) -> dict[int, str]:
        """A fact about each process that has it, by process index."""
        rows = np.flatnonzero(self.facts.data["name"] == name.encode())
        return {int(self.facts.process[row]): text(self.facts.data["text"][row]) for row in rows[::-1]}

    @cached_property
    def without_calls(self) -> int:
        """Processes of whose calls nothing is on record, since there was no room: what they did is not known."""
        needed = (SegmentKind.THREADS, SegmentKind.CALLS)
        return sum(
            any(record.header["dropped"][kind] and not record.count(kind) for kind in needed) for record in self.records
        )

    @property
    def has_timeline(self) -> bool:
        return any(segment.kind is SegmentKind.TIMELINE for record in self.records for segment in record.segments)

    def timelines(self) -> Iterator[Timeline]:
        """The timeline of each process that has one, read when asked for, one process in memory at a time."""
        kinds = frozenset({SegmentKind.FUNCTIONS, SegmentKind.COMMS, SegmentKind.TIMELINE})
        for process, record in enumerate(self.records):
            if any(segment.kind is SegmentKind.TIMELINE for segment in record.segments):
                yield self._timeline(process, record.read(kinds))

    def _timeline(self, process: int, arrays: dict[SegmentKind, NDArray[np.void]]) -> Timeline:
        ring = arrays[SegmentKind.TIMELINE]
        row = self.processes[process]
        entry_s = to_seconds(row, ring["entry_ticks"])
        exit_s = to_seconds(row, ring["exit_ticks"])
        sane = (entry_s <= exit_s) & (entry_s >= row["begin_s"] - 1) & (exit_s <= row["end_s"] + 1)
        ring, entry_s, exit_s = ring[sane], entry_s[sane], exit_s[sane]
        function = renumbered(ring["function"], self.functions.add(arrays[SegmentKind.FUNCTIONS]))
        of_file = self.functions.classes()[function] == layout.FunctionClass.FILE_OPERATION
        comm = renumbered(ring["comm"], self.communicators.add(process, arrays[SegmentKind.COMMS]))
        file = np.where(of_file & (ring["comm"] != 0xFFFF), ring["comm"].astype(np.int32), -1)
        comm = np.where(of_file, 0, comm)
        return Timeline(process, function, comm, file, ring["peer"], entry_s, exit_s, ring["bytes"])

    def state_name(self, process: int) -> str:
        """How far the process came: "started", "running", "finalized" or "exited"."""
        number = int(self.processes["state"][process])
        return State(number).name.lower() if number in (1, 2, 3, 4) else "started"


def to_seconds(process: np.void | NDArray[np.void], ticks: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Instants in ticks of one process (a PROCESS row), or of one each, as seconds of the Run."""
    since = (ticks - process["tick_origin"]).view(np.int64)
    seconds: NDArray[np.float64] = process["origin_s"] + since * process["seconds_per_tick"]
    return seconds
