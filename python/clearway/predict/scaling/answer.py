"""The tree that all outputs of `clearway scale` show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SCHEMA = "clearway-scale-1"


class Scaling(StrEnum):
    STRONG = "strong"
    """The same work on more ranks."""
    WEAK = "weak"
    """The same work for each rank."""


@dataclass(frozen=True, slots=True)
class Figure:
    expected: float | None  # None where there are too few Runs for more than bounds
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunUsed:
    directory: str
    ranks: int
    hosts: int
    wall_s: float  # mean over ranks
    work: float  # relative to the first Run; all seconds below are divided by it


@dataclass(frozen=True, slots=True)
class LineLaw:
    """A line of the ledger. Seconds are wall-clock, as a mean over ranks."""

    line: str
    words: str  # "waiting for another rank"
    recorded: tuple[float, ...]  # by Run
    at: tuple[Figure, ...]  # by target
    law: str  # the likeliest, of what is fitted: rank-seconds p·t for strong scaling, seconds a rank for weak
    sureness: float | None  # its weight among all laws that may hold


@dataclass(frozen=True, slots=True)
class Counted:
    """Summed over ranks."""

    recorded: tuple[int, ...]  # by Run
    at: tuple[Figure, ...]  # by target
    law: str  # "" where none holds to the unit
    from_ranks: int | None  # it holds from so many ranks on
    exact: bool
    rivals: int  # laws that hold as exactly, and say something else: `low` and `high` are of them


@dataclass(frozen=True, slots=True)
class SiteLaw:
    """All calls of one MPI function on one kind of communicator."""

    function: str
    on: str  # "all ranks", "some ranks", "one rank", or "" where the call has no communicator
    calls: Counted
    bytes: Counted
    recorded_s: tuple[float, ...]  # by Run: a rank
    at_s: tuple[Figure, ...]  # by target: a rank


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
    check: float | None  # simulated ÷ recorded, on the most ranks recorded; None where all Runs were on one host
    left_out: float  # share of the bytes that calls move of which there is no model


@dataclass(frozen=True, slots=True)
class Target:
    ranks: int
    wall: Figure  # seconds, mean over ranks
    constant_s: float  # null model: as long as on the most ranks recorded
    perfect_s: float  # null model: rank-seconds of the most ranks recorded, evenly on all
    amdahl_s: float | None  # null model: a part that is the same on each rank, and a part that is divided
    efficiency: float | None  # rank-seconds for the same work, fewest ranks recorded ÷ here
    losses: tuple[Loss, ...]  # the largest first
    network: NetworkPart | None  # where a cluster was named


@dataclass(frozen=True, slots=True)
class Answer:
    schema: str
    sentence: str
    program: str
    scaling: Scaling
    why: str  # this scaling was assumed
    runs: tuple[RunUsed, ...]
    targets: tuple[Target, ...]
    lines: tuple[LineLaw, ...]
    sites: tuple[SiteLaw, ...]
    chance: float  # that what is to come lies within the bounds, if it is of the kind of the Runs
    notes: tuple[str, ...]
