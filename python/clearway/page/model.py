"""The page: everything that a report shows of a Run, as plain values.

`clearway.page.build.summarise(run)` fills it, the renderers in `clearway.page.render` show it and compute nothing, and
`clearway report --json` is this tree written out (`clearway.page.render.json`). Times are seconds, sizes bytes;
what cannot be known is None, never a guess. Names ending in `_s` under `Ledger` are sums over ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clearway.diagnosis.finding import Finding

SCHEMA = "clearway-page-1"


@dataclass(frozen=True, slots=True)
class Job:
    """What ran, and how whole its record is."""

    directory: str
    program: str  # name of the program, without its folder
    command: str  # its command line on rank 0 (text from the job: escape it)
    mpi_library: str
    ranks: int  # records found
    ranks_expected: int  # size of MPI_COMM_WORLD
    hosts: int
    started_at: str  # ISO 8601, UTC
    wall_s: float  # longest rank
    complete: bool  # every rank expected is there and left through exit
    exit_code: int | None
    notes: tuple[str, ...] = ()  # what is missing, cut, dropped or estimated; one sentence each
    clock_error_s: float | None = None  # largest error of aligning the hosts' clocks; 0 on one host, None if unknown


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where every rank-second went. The lines add up to wall_s, but for residue_s."""

    wall_s: float
    compute_s: float
    core_wait_s: float  # runnable, but no core
    mpi_wait_s: float  # for a slower rank
    mpi_transfer_s: float  # moving data
    mpi_stall_s: float  # waiting for a TCP retransmission timeout
    io_s: float  # in file functions
    other_s: float  # blocked outside MPI and file functions, starting and stopping MPI
    residue_s: float  # wall_s minus the lines
    mpi_undivided_s: float = 0.0  # the part of mpi_transfer_s that may be waiting: no partner's record to tell


@dataclass(frozen=True, slots=True)
class Pop:
    """POP metrics (pop-coe.eu): parallel = load_balance x communication, communication = serialisation x transfer."""

    parallel_efficiency: float
    load_balance: float
    communication_efficiency: float
    serialisation_efficiency: float | None
    transfer_efficiency: float | None


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank's share of the ledger."""

    rank: int
    host: str
    pid: int
    state: str  # "exited", "finalized", or where the record ends: "running", "started", "missing"
    cpus: str  # affinity mask as a list: "0-1"
    ledger: Ledger
    cpu_s: float  # CPU time of the main thread
    cpu_utilisation: float  # cpu_s over wall
    bytes_sent: int
    bytes_received: int
    inside: str | None = None  # the call it was in when its record ended


@dataclass(frozen=True, slots=True)
class CallRow:
    """All calls of one MPI function, over all ranks. wait/transfer/stall/core_wait split time_s where it is known."""

    function: str
    function_class: str
    count: int
    time_s: float
    bytes: int
    min_s: float
    max_s: float
    wait_s: float
    transfer_s: float
    stall_s: float
    core_wait_s: float
    undivided_s: float


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Messages whose size lies in [low_bytes, high_bytes]."""

    low_bytes: int
    high_bytes: int
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """One blocking collective on one communicator at one size bin, from its recorded calls."""

    function: str
    communicator: str
    communicator_size: int
    low_bytes: int
    high_bytes: int
    count: int  # all calls, of one rank
    recorded: int  # calls whose entry and exit are known on every rank
    time_s: float  # summed over ranks
    wait_s: float
    transfer_s: float
    stall_s: float
    last_rank: int | None  # who entered last most often
    last_share: float | None  # in which share of the calls


@dataclass(frozen=True, slots=True)
class Matrix:
    """Point-to-point and alltoall bytes from row to column; ranks are folded into blocks when there are many."""

    block: int  # ranks per row
    bytes: list[list[float]]


@dataclass(frozen=True, slots=True)
class Messages:
    """Message sizes and directions: histogram, aggregate, who sends how much to whom."""

    histogram: tuple[SizeBin, ...]
    aggregate_bytes: int
    matrix: Matrix
    calls: int  # MPI calls of all kinds
    poll_share: float  # share of those that are MPI_Iprobe, MPI_Test…
    mpi_user_ratio: float | None  # MPI time over time outside MPI


@dataclass(frozen=True, slots=True)
class Socket:
    """One TCP connection as its process saw it: the kernel's tcp_info at the newest sample."""

    rank: int
    host: str
    local: str  # "10.0.0.1:41000"
    peer: str
    peer_rank: int | None
    bytes_sent: int
    bytes_received: int
    retransmits: int
    timeouts: int
    stall_s: float
    rtt_s: float
    min_rtt_s: float
    cwnd: int
    busy_s: float
    rwnd_limited_s: float
    sndbuf_limited_s: float
    send_buffer_bytes: int
    receive_buffer_bytes: int
    congestion_control: str


@dataclass(frozen=True, slots=True)
class File:
    """One file, over all ranks that opened it."""

    path: str
    ranks: int
    time_s: float
    calls: int
    bytes_read: int
    bytes_written: int
    mapped_bytes: int
    sequential_share: float | None  # of reads and writes
    reread_factor: float | None  # bytes read over the extent of the file
    syncs: int
    deleted: bool


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface's counters over the job."""

    name: str
    speed_mbit: int | None
    duplex: str | None
    received_bytes: int
    sent_bytes: int
    drops: int
    errors: int
    pause_received: int | None
    pause_sent: int | None


@dataclass(frozen=True, slots=True)
class Host:
    """What a host said of itself, once at the start and once at the end."""

    name: str
    ranks: int
    cores: int | None
    memory_bytes: int | None
    kernel: str
    congestion_control: str
    retransmitted_segments: int | None  # of the whole host, while the job ran
    timeouts: int | None
    steal_s: float | None
    interfaces: tuple[Interface, ...]
    facts: dict[str, str] = field(default_factory=dict)  # all others, by name


@dataclass(frozen=True, slots=True)
class Engine:
    """What the engine's own log says."""

    name: str  # "GROMACS"
    log: str  # path
    ns_per_day: float | None
    s_per_step: float | None
    steps: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """A call on the picture of the last steps. Times are seconds from the picture's left edge."""

    rank: int
    function: str
    function_class: str
    begin_s: float
    end_s: float
    bytes: int


@dataclass(frozen=True, slots=True)
class FlowWay:
    """One way of making a collective call: the MPI's own, or an algorithm of Clearway's."""

    candidate: str  # "own", or as `clearway run --flow-algorithm` takes it
    calls: int  # of one rank
    time_s: float | None  # of a call, on the slowest rank, when last measured


@dataclass(frozen=True, slots=True)
class FlowRow:
    """How one collective operation went at one size, over all communicators of that many ranks on that many hosts."""

    operation: str
    ranks: int
    hosts: int
    communicators: int
    low_bytes: int | None  # of the blocks; None where they have no size known to all ranks
    high_bytes: int | None
    calls: int  # of one rank, over the communicators
    chosen: str | None  # the way settled on; None: still trying
    chosen_calls: int  # of the calls, those made this way
    time_s: float | None  # of a call made the chosen way
    own_s: float | None  # what a call took the MPI's own way, in the same job
    gain: float | None  # own_s over time_s
    trial_calls: int | None  # of the trial, those that went another way than the chosen one; None: not recorded
    regret_s: float | None  # what they took above the chosen way's time
    remembered: int  # of the communicators, those that began with what an earlier job had found
    challenges: int  # how often, after the trial, another way was tried again
    ways: tuple[FlowWay, ...]  # most calls first


@dataclass(frozen=True, slots=True)
class IoCacheSize:
    """What caches of another size would have done with the same reads and writes."""

    size_bytes: int  # of each process's
    fetched_records: int  # from files, over all processes
    stored_records: int  # to files
    wall_s: float | None  # of the job, by the time that files took in this one


@dataclass(frozen=True, slots=True)
class IoCache:
    """What the I/O cache did with scratch files, over all processes that had some."""

    processes: int
    budget_bytes: int  # memory available: what one process may have, if the others of its host need none
    record_bytes: int
    records: int  # that fitted into what the process with most could have
    peak_records: int  # the most that one process's held
    read_records: int  # that the programs asked for
    fetched_records: int  # of these, those that came from files
    written_records: int  # that the programs wrote
    stored_records: int  # that went to files
    file_s: float | None  # in reading and writing files, over all processes
    evicted_serial: int  # records of files that are read or written in order
    evicted_other: int
    lookups: int  # in the hash table
    conflicts: int  # of these, those that met another record first
    files: int  # served
    deleted_files: int  # of these, deleted before the end
    left_files: int  # of these, given back to the kernel
    store_errors: int  # writes to files that failed
    policy: str  # that says what is evicted
    fits: bool  # there was room for every record, all the time
    enough_bytes: int | None  # the smallest memory with which hardly more would have come from files than must
    enough_wall_s: float | None  # what the job would have taken with it
    sizes: tuple[IoCacheSize, ...]  # the smallest first


@dataclass(frozen=True, slots=True)
class Page:
    """All of it. `sentence` says in plain words where the time went."""

    schema: str
    sentence: str
    job: Job
    ledger: Ledger
    pop: Pop
    ranks: tuple[Rank, ...]
    mpi_calls: tuple[CallRow, ...]  # most time first
    collectives: tuple[CollectiveRow, ...]  # most time first
    messages: Messages
    sockets: tuple[Socket, ...]  # most stalled first
    files: tuple[File, ...]  # most time first
    hosts: tuple[Host, ...]
    engine: Engine | None
    timeline: tuple[Step, ...] = ()  # of runs recorded with --timeline
    flow: tuple[FlowRow, ...] = ()  # of jobs run with --flow; most time first
    io_cache: IoCache | None = None  # of jobs run with --io-cache
    findings: tuple[Finding, ...] = ()  # what is wrong, costliest first
    health: str = ""  # without findings: that nothing is wrong, or why nothing can be said
