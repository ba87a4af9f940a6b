"""The Run record as numpy types: the mirror of native/run_record/layout.hpp, field by field.

docs/run-format.md explains every field; tests/python/test_layout.py compares offsets and sizes with what the
compiler makes of the header. `align=True` gives the layout of a plain C struct.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

MAGIC = b"CLEARWAY"
PACKED_MAGIC = b"CLEARPAK"
VERSION = 3
BYTE_ORDER = 0x01020304
HEADER_BYTES = 4096
MAX_SEGMENTS = 512
FIRST_SEGMENT_OFFSET = 16384

EVENT_COMMITTED = 0x5A5A
EVENT_WINDOW_MS = 160
LONG_EVENT_S = 10e-3  # at event level 0; doubles with each level

PEER_NONE = -1
PEER_ANY = -2
PEER_OTHER = -3
PEER_NULL = -4


class FileKind(IntEnum):
    RANK = 1
    HOST = 2
    FLOW = 3
    IO_CACHE = 4


class State(IntEnum):
    """How far a process had come when its record was last written."""

    STARTED = 1
    RUNNING = 2
    FINALIZED = 3
    EXITED = 4


class SegmentKind(IntEnum):
    FUNCTIONS = 1
    THREADS = 2
    COMMS = 3
    CALLS = 4
    EVENTS = 5
    FILES = 6
    SOCKETS = 7
    STALLS = 8
    FACTS = 9
    COUNTERS = 10
    TIMELINE = 11
    FLOW = 12
    IO_CACHE = 13
    IO_SIZES = 14
    OUTPUTS = 15
    FLOW_TRIALS = 16
    ACTIVITIES = 17
    READINGS = 18
    OPEN_CALLS = 19
    THREAD_USES = 20
    CONCURRENCY = 21
    TEAMS = 22
    THREADS_AT = 23
    MPI_FILES = 24
    LOCKS = 25
    CORES = 26
    CODE_RANGES = 27
    CODE_SAMPLES = 28


class FunctionClass(IntEnum):
    """What a function is to the ledger. UNKNOWN is a reader's word for a class it has never heard of."""

    UNKNOWN = 0
    SEND = 1
    RECEIVE = 2
    SEND_RECEIVE = 3
    START = 4
    WAIT = 5
    POLL = 6
    PROBE = 7
    COLLECTIVE = 8
    COLLECTIVE_START = 9
    ONE_SIDED = 10
    COMMUNICATOR = 11
    MPI_IO = 12
    LIFE = 13
    LOCAL = 14
    FILE_OPERATION = 20


class EventKind(IntEnum):
    COLLECTIVE = 1
    SEND = 2
    RECEIVE = 3
    POSTED = 4
    STARTED = 5
    COMPLETED = 6
    PROBED = 7
    BEGUN = 8
    ONE_SIDED = 9


class Activity(IntEnum):
    """What a thread was found doing."""

    RUNNING = 1
    BLOCKED = 2
    SYSTEM_CALL = 3
    SLEEPING = 4
    RECEIVING = 5
    SENDING = 6
    ACCEPTING = 7
    INPUT = 8
    LOCK = 9
    FULL_PIPE = 10
    EMPTY_PIPE = 11
    CHILD = 12
    OTHER_THREAD = 13
    SIGNAL = 14
    MEMORY = 15
    FILE = 16
    STOPPED = 17
    TRACED = 18


class Place(IntEnum):
    """Where in the program it was found."""

    OUTSIDE = 1
    MPI = 2
    FILE = 3


class Awaits(IntEnum):
    """What ends an open call."""

    MESSAGE = 1
    TO_BE_RECEIVED = 2
    COLLECTIVE = 3


COMM_INTER = 1
COMM_FREED = 2

FILE_DELETED = 1
FILE_WRITTEN = 2
FILE_READ = 4
FILE_EXISTED = 8
FILE_PATH_CUT = 16
FILE_DIRECT = 32
FILE_SYNCHRONOUS = 64
FILE_STDIO = 128
FILE_SHARED = 256
FILE_UNBUFFERED = 512
FILE_LINES = 1024


def _struct(*fields: tuple[str, str] | tuple[str, object] | tuple[str, object, int]) -> np.dtype[np.void]:
    return np.dtype(list(fields), align=True)


def _named(numpy_type: str, *names: str) -> list[tuple[str, str]]:
    return [(name, numpy_type) for name in names]


INSTANT = _struct(*_named("u8", "ticks", "monotonic_ns", "realtime_ns"))

FILE_HEADER = _struct(
    ("magic", "S8"),
    *_named("u4", "version", "header_bytes", "byte_order", "kind"),
    ("file_bytes", "u8"),
    *_named("u4", "segment_count", "state"),
    *_named("i4", "pid", "rank", "world_size", "exit_code"),
    *_named("u4", "event_level", "event_window_ms"),
    ("dropped", "u8", 16),
    ("start", INSTANT),
    ("mpi_begin", INSTANT),
    ("mpi_end", INSTANT),
    ("heartbeat", INSTANT, 2),
    *_named("u8", "heartbeat_index", "process_start_monotonic_ns"),
    ("host", "S64"),
    ("boot_id", "S40"),
    ("job", "S64"),
)

PACKED_HEADER = _struct(("magic", "S8"), *_named("u4", "byte_order", "thinning"), ("record_bytes", "u8"))

SEGMENT_ENTRY = _struct(
    *_named("u2", "kind", "element_bytes"),
    ("thread", "u4"),
    ("offset", "u8"),
    *_named("u4", "capacity", "count"),
)

FUNCTION_NAME = _struct(*_named("u2", "id", "function_class"), ("name", "S60"))

THREAD_CELL = _struct(
    *_named("u4", "tid", "is_main"),
    *_named("u8", "first_ticks", "io_ticks", "run_delay_ns", "run_delay_in_mpi_ns", "run_delay_in_io_ns"),
    *_named("u8", "cpu_ns", "cpu_in_mpi_ns", "blocked_outside_ns", "call_entry_ticks"),
    *_named("u4", "call_function", "io_depth"),
    ("sampled_ticks", "u8"),
)

COMM_CELL = _struct(
    *_named("u2", "index", "flags"),
    ("size", "u4"),
    ("my_rank", "i4"),
    ("remote_size", "u4"),
    ("id", "u8"),
    ("name", "S40"),
)

CALL_CELL = _struct(
    *_named("u2", "function", "comm"),
    ("peer", "i4"),
    ("size_bin", "u1"),
    ("reserved", "u1", 3),
    ("thread", "u4"),
    *_named("u8", "count", "ticks", "bytes", "min_ticks", "max_ticks", "run_delay_ns"),
)

EVENT_RECORD = _struct(
    *_named("u2", "function", "comm"),
    *_named("i4", "peer", "tag"),
    ("seq", "u4"),
    *_named("u8", "entry_ticks", "exit_ticks", "bytes"),
    ("run_delay_us", "u4"),
    *_named("u2", "kind", "commit"),
    *_named("u4", "blocked_before_us", "io_before_us", "run_delay_before_us", "reserved"),
)

FILE_CELL = _struct(
    *_named("u8", "opens", "reads", "writes", "seeks", "syncs", "closes", "metadata"),
    *_named("u8", "read_bytes", "written_bytes", "mapped_bytes"),
    *_named("u8", "open_ticks", "read_ticks", "write_ticks", "seek_ticks", "sync_ticks", "close_ticks"),
    *_named("u8", "metadata_ticks", "sequential_reads", "sequential_writes", "extent_bytes", "flags"),
    ("path", "S344"),
)

OUTPUT_CELL = _struct(*_named("u4", "file", "reserved"), *_named("u8", "inode", "begin", "closed_bytes", "closed_ns"))

LOCK_CELL = _struct(*_named("u4", "file", "reserved"), *_named("u8", "calls", "ticks"))

SOCKET_CELL = _struct(
    *_named("u2", "family", "local_port", "peer_port", "state"),
    *_named("V16", "local_address", "peer_address"),
    *_named("u8", "first_ticks", "last_ticks", "bytes_sent", "bytes_acked", "bytes_received", "bytes_retrans"),
    *_named("u8", "busy_time_us", "rwnd_limited_us", "sndbuf_limited_us", "delivery_rate"),
    *_named("u4", "segs_out", "segs_in", "total_retrans", "reordering"),
    *_named("u4", "rtt_us", "rttvar_us", "min_rtt_us", "max_rtt_us", "cwnd", "min_cwnd", "max_cwnd", "mss"),
    *_named("u4", "rto_us", "total_rto", "total_rto_recoveries", "total_rto_time_ms"),
    *_named("u4", "send_buffer_bytes", "receive_buffer_bytes", "samples", "stalls"),
    ("stall_ticks", "u8"),
    ("congestion", "S16"),
    *_named("u4", "dsack_dups", "reord_seen", "delivered_ce", "held"),
    ("reserved", "u1", 16),
)

STALL_RECORD = _struct(
    ("socket", "u4"),
    *_named("u2", "timeouts", "heard"),
    *_named("u8", "begin_ticks", "end_ticks"),
    *_named("u2", "sacked", "in_flight", "passed_bytes", "vanished_bytes"),
)

LONGEST_FACT = 447  # bytes of its text
FACT = _struct(("name", "S64"), ("text", "S448"))

COUNTER = _struct(("name", "S64"), *_named("u8", "first", "last"))

TIMELINE_RECORD = _struct(
    *_named("u8", "entry_ticks", "exit_ticks", "bytes"),
    *_named("u2", "function", "comm"),
    ("peer", "i4"),
)

FLOW_CELL = _struct(
    ("operation", "S16"),
    ("candidate", "S80"),
    *_named("u8", "low_bytes", "high_bytes", "calls", "time_ns"),
    *_named("u4", "trial", "comm", "ranks", "hosts", "chosen", "challenges"),
)

FLOW_TRIAL = _struct(
    *_named("u4", "trial", "began", "is_over", "reserved"), *_named("u8", "calls_elsewhere", "regret_ns")
)

IO_CACHE_CELL = _struct(
    *_named("u8", "budget_bytes", "record_bytes", "records", "peak_records"),
    *_named("u8", "read_records", "fetched_records", "written_records", "stored_records"),
    *_named("u8", "read_bytes", "written_bytes"),
    *_named("u8", "fetches", "fetched_bytes", "fetch_ns", "stores", "stored_bytes", "store_ns"),
    *_named("u8", "evicted_serial", "evicted_other", "lookups", "conflicts"),
    *_named("u8", "files", "deleted_files", "left_files", "store_errors"),
    ("policy", "S16"),
)

IO_SIZE_CELL = _struct(*_named("u8", "size_bytes", "fetched_records", "stored_records"))

ACTIVITY_CELL = _struct(
    *_named("u2", "activity", "place"),
    ("samples", "u4"),
    *_named("u8", "first_ticks", "last_ticks"),
    ("object", "S168"),
)

READING = _struct(
    *_named("u8", "ticks", "mpi_ticks", "mpi_io_ticks", "life_ticks", "io_ticks"),
    *_named("u8", "run_delay_ns", "blocked_outside_ns", "settled_ticks"),
    ("phase", "i4"),
    ("phases", "u4"),
)

THREADS_READING = _struct(*_named("u8", "ticks", "region_ticks", "cpu_ns"))

OPEN_CALL = _struct(
    ("entry_ticks", "u8"),
    *_named("u2", "function", "comm"),
    *_named("i4", "peer", "tag"),
    *_named("u4", "sequence", "requests"),
    *_named("u2", "awaits", "reserved"),
)

# Flags of a ThreadUse.
THREAD_GONE = 1
THREAD_OF_MPI = 2
THREAD_OF_RECORD = 4
THREAD_ONLY_ASKED = 8  # waited for work, and was given none
NOT_OF_PROGRAM = THREAD_OF_MPI | THREAD_OF_RECORD | THREAD_ONLY_ASKED  # of what threads of it did

THREAD_USE = _struct(
    *_named("u4", "tid", "flags"),
    *_named("u8", "cpu_ns", "run_delay_ns", "first_ticks", "last_ticks"),
    ("name", "S16"),
    ("cpus_allowed", "S64"),
)

CONCURRENCY_CELL = _struct(
    *_named("u2", "place", "main_busy"),
    ("samples", "u4"),
    *_named("u8", "alone", "busy", "idle", "idle_beside_busy"),
)

CORE_CELL = _struct(*_named("u8", "cpu", "busy"))

NO_RANGE = 0xFFFFFFFF  # of a CODE_SAMPLE whose range is not known

CODE_RANGE = _struct(*_named("u8", "begin", "end", "file_offset", "file_bytes"), ("modified_s", "i8"), ("path", "S216"))

CODE_SAMPLE = _struct(("address", "u8"), *_named("u4", "bytes", "range", "by_main", "by_others"))

TEAM_CELL = _struct(
    *_named("u4", "tid", "most_threads", "tasks", "size"),
    *_named("u8", "regions", "region_ticks", "team_ticks", "work_ticks", "wait_ticks"),
    *_named("u8", "region_entry_ticks", "body_entry_ticks", "first_ticks", "last_ticks"),
    *_named("u8", "sampled_work_ticks", "sampled_work_cpu_ns", "sampled_wait_ticks", "sampled_wait_cpu_ns"),
    ("sampled_late_ticks", "u8"),
)

MPI_FILE_CELL = _struct(
    *_named("u8", "independent_reads", "independent_writes", "collective_reads", "collective_writes"),
    *_named("u8", "read_bytes", "written_bytes"),
    *_named("u8", "independent_ticks", "collective_ticks", "opening_ticks"),
    *_named("u8", "independent_file_ticks", "collective_file_ticks", "opening_file_ticks"),
    *((f"{kind}requests", "u8", 3) for kind in ("", "small_", "backward_", "misaligned_")),
    ("path", "S256"),
)

# What a segment of each kind holds, and how many elements of it a reader takes from one file at most: well above
# what the recorder writes, and low enough that a corrupt count cannot exhaust the memory.
ELEMENT: dict[SegmentKind, tuple[np.dtype[np.void], int]] = {
    SegmentKind.FUNCTIONS: (FUNCTION_NAME, 1 << 12),
    SegmentKind.THREADS: (THREAD_CELL, 1 << 14),
    SegmentKind.COMMS: (COMM_CELL, 1 << 16),
    SegmentKind.CALLS: (CALL_CELL, 1 << 19),
    SegmentKind.EVENTS: (EVENT_RECORD, 1 << 20),
    SegmentKind.FILES: (FILE_CELL, 1 << 16),
    SegmentKind.SOCKETS: (SOCKET_CELL, 1 << 16),
    SegmentKind.STALLS: (STALL_RECORD, 1 << 18),
    SegmentKind.FACTS: (FACT, 1 << 13),
    SegmentKind.COUNTERS: (COUNTER, 1 << 15),
    SegmentKind.TIMELINE: (TIMELINE_RECORD, 1 << 24),
    SegmentKind.FLOW: (FLOW_CELL, 1 << 17),
    SegmentKind.FLOW_TRIALS: (FLOW_TRIAL, 1 << 17),
    SegmentKind.IO_CACHE: (IO_CACHE_CELL, 1 << 4),
    SegmentKind.IO_SIZES: (IO_SIZE_CELL, 1 << 10),
    SegmentKind.OUTPUTS: (OUTPUT_CELL, 1 << 10),
    SegmentKind.ACTIVITIES: (ACTIVITY_CELL, 1 << 10),
    SegmentKind.READINGS: (READING, 1 << 9),
    SegmentKind.OPEN_CALLS: (OPEN_CALL, 1 << 10),
    SegmentKind.THREAD_USES: (THREAD_USE, 1 << 12),
    SegmentKind.CONCURRENCY: (CONCURRENCY_CELL, 1 << 8),
    SegmentKind.TEAMS: (TEAM_CELL, 1 << 12),
    SegmentKind.THREADS_AT: (THREADS_READING, 1 << 9),
    SegmentKind.MPI_FILES: (MPI_FILE_CELL, 1 << 12),
    SegmentKind.LOCKS: (LOCK_CELL, 1 << 10),
    SegmentKind.CORES: (CORE_CELL, 1 << 12),
    SegmentKind.CODE_RANGES: (CODE_RANGE, 1 << 10),
    SegmentKind.CODE_SAMPLES: (CODE_SAMPLE, 1 << 14),
}


def text(raw: bytes) -> str:
    """Text of a fixed-size field: up to the first NUL, with what is not UTF-8 made visible."""
    return raw.split(b"\0", 1)[0].decode("utf-8", errors="replace")


def joined(element: np.dtype[np.void], arrays: list[NDArray[np.void]]) -> NDArray[np.void]:
    """All arrays of one element type, one after the other.

    As bytes: numpy compares structured types field by field for each pair of arrays, which takes longer than the
    copying.
    """
    raw = np.concatenate([np.empty(0, np.uint8), *(np.ascontiguousarray(array).view(np.uint8) for array in arrays)])
    return raw.view(element)
