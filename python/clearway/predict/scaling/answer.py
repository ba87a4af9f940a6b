"""The tree that all outputs of `clearway scale` show."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.older_python import StrEnum

SCHEMA = "clearway-scale-1"


class Scaling(StrEnum):
    STRONG = "strong"
    """The same work on more ranks."""
    WEAK = "weak"
    """The same work for each rank."""


@dataclass(frozen=True, slots=True)
class Figure:
    expected: float | None  # None if there are only enough Runs for bounds
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunUsed:
    directory: str
    ranks: int
    hosts: int
    wall_s: float  # mean over ranks
    work: float  # work relative to the first Run; all seconds below are divided by it


@dataclass(frozen=True, slots=True)
class LineLaw:
    """A line of the ledger. Seconds are wall-clock, as a mean over ranks."""

    line: str
    words: str  # "waiting for another rank"
    recorded: tuple[float, ...]  # recorded value of each Run
    at: tuple[Figure, ...]  # prediction for each target
    law: str  # the likeliest law, for rank-seconds p·t with strong scaling, seconds per rank with weak
    sureness: float | None  # weight of this law among all possible laws


@dataclass(frozen=True, slots=True)
class Counted:
    """Summed over ranks."""

    recorded: tuple[int, ...]  # recorded value of each Run
    at: tuple[Figure, ...]  # prediction for each target
    law: str  # "" if no law fits exactly
    from_ranks: int | None  # smallest number of ranks from which it holds
    exact: bool
    rivals: int  # number of other laws that fit equally well: `low` and `high` are theirs


@dataclass(frozen=True, slots=True)
class SiteLaw:
    """All calls of one MPI function on one kind of communicator."""

    function: str
    on: str  # "all ranks", "some ranks", "one rank", or "" if the call has no communicator
    calls: Counted
    bytes: Counted
    recorded_s: tuple[float, ...]  # seconds per rank, for each Run
    at_s: tuple[Figure, ...]  # seconds per rank, for each target


@dataclass(frozen=True, slots=True)
class Loss:
    line: str  # of the ledger
    words: str
    seconds: float  # a rank
    share: float  # of the wall-clock


@dataclass(frozen=True, slots=True)
class NetworkPart:
    """Moving data on a described cluster, simulated: in place of its law, and of that of standing still for loss."""

    cluster: str
    hosts: int
    seconds: float  # a rank
    check: float | None  # simulated ÷ recorded, on the most ranks recorded; None if all Runs were on one host
    left_out: float  # share of the bytes moved by calls without a model
    collectives: str  # whose algorithms collective operations have: "openmpi", "mpich"


@dataclass(frozen=True, slots=True)
class Target:
    ranks: int
    wall: Figure  # seconds, mean over ranks
    constant_s: float  # null model: as long as on the most recorded ranks
    perfect_s: float  # null model: rank-seconds of the most recorded ranks, divided evenly
    amdahl_s: float | None  # null model: a serial part, and a part that is divided
    efficiency: float | None  # rank-seconds for the same work, on the fewest recorded ranks ÷ on these
    losses: tuple[Loss, ...]  # largest first
    network: NetworkPart | None  # if --cluster was given


@dataclass(frozen=True, slots=True)
class Answer:
    schema: str
    sentence: str
    program: str
    scaling: Scaling
    why: str  # why this scaling was assumed
    runs: tuple[RunUsed, ...]
    targets: tuple[Target, ...]
    lines: tuple[LineLaw, ...]
    sites: tuple[SiteLaw, ...]
    chance: float  # probability that the value is within the bounds, if the job continues like its Runs
    notes: tuple[str, ...]
