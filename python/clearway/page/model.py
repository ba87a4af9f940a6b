"""The page: everything that a report shows of a Run, as plain values.

`clearway.page.build.summarise(run)` makes it last, of the tables that the rules read as well; the renderers in
`clearway.page.render` show it and compute nothing, and `clearway report --json` is this tree written out. Times are
seconds, sizes bytes; what cannot be known is None, never a guess. Names ending in `_s` under `Ledger` are sums over
ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts.tables.blocked import Blocked
from clearway.diagnosis.facts.tables.calls import CallRow, CollectiveRow
from clearway.diagnosis.facts.tables.cores import CoreSeconds, CoreUse, RankThreads, Thread
from clearway.diagnosis.facts.tables.files import File
from clearway.diagnosis.facts.tables.flow import FlowRow, FlowWay
from clearway.diagnosis.facts.tables.functions import FunctionRow
from clearway.diagnosis.facts.tables.hosts import Host, Interface
from clearway.diagnosis.facts.tables.io_cache import IoCache, IoCacheSize
from clearway.diagnosis.facts.tables.job import Job
from clearway.diagnosis.facts.tables.messages import Messages, SizeBin
from clearway.diagnosis.facts.tables.ranks import Rank
from clearway.diagnosis.facts.tables.slices import Slice
from clearway.diagnosis.facts.tables.sockets import Socket
from clearway.diagnosis.facts.tables.traffic import Matrix
from clearway.diagnosis.facts.tables.waited import Waited
from clearway.diagnosis.facts.tables.waits_for import Edge, Node, WaitsFor
from clearway.diagnosis.finding import Finding
from clearway.engines.speed import Engine
from clearway.ledger.pop import Pop
from clearway.ledger.totals import Ledger

__all__ = [
    "SCHEMA",
    "Blocked",
    "CallRow",
    "CollectiveRow",
    "CoreSeconds",
    "CoreUse",
    "Edge",
    "Engine",
    "File",
    "FlowRow",
    "FlowWay",
    "FunctionRow",
    "Host",
    "Interface",
    "IoCache",
    "IoCacheSize",
    "Job",
    "Ledger",
    "Matrix",
    "Messages",
    "Node",
    "Page",
    "Pop",
    "Rank",
    "RankThreads",
    "SizeBin",
    "Slice",
    "Socket",
    "Step",
    "Thread",
    "Waited",
    "WaitsFor",
]

SCHEMA = "clearway-page-1"


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
    blocked: tuple[Blocked, ...] = ()  # what ranks were doing in "other", and the locks in "file I/O"; most time first
    waited: tuple[Waited, ...] = ()  # what ranks waited for in MPI; most time first
    cores: CoreSeconds | None = None  # core-seconds, for ranks with several threads or several cores
    functions: tuple[FunctionRow, ...] = ()  # where processor time went, most first; empty if it was not sampled
    strip: tuple[Slice, ...] = ()  # the ledger over time, in at most 200 slices; empty if the record does not have it
    timeline: tuple[Step, ...] = ()  # for jobs recorded with --timeline
    flow: tuple[FlowRow, ...] = ()  # for jobs run with --flow; most time first
    io_cache: IoCache | None = None  # for jobs run with --io-cache
    waits_for: WaitsFor | None = None  # who waits for whom, for jobs that hang
    findings: tuple[Finding, ...] = ()  # what is wrong, costliest first
    health: str = ""  # if there are no findings: that nothing is wrong, or why that is unknown
