"""A Schedule as far as tables and pictures show it, and what the checker says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BLOCK_OPERATIONS = ("alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv")
"""Each rank has a block for each, or one for all."""
REDUCTIONS = ("reduce", "allreduce", "reduce_scatter", "barrier")
VECTOR_OPERATIONS = ("bcast", *REDUCTIONS)
"""All have a vector, which algorithms may cut."""
OPERATIONS = BLOCK_OPERATIONS + VECTOR_OPERATIONS
ROOTED = ("bcast", "reduce")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A row of the table of algorithms."""

    name: str
    summary: str
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a phase, or all of them, puts on the network."""

    messages: int
    """Messages of all ranks, also inside hosts."""
    crossing_messages: int
    """Messages between hosts."""
    crossing_bytes: int
    port_messages: int
    """Messages through the busiest network port in its busier direction."""
    port_bytes: int


@dataclass(frozen=True, slots=True)
class Send:
    """One message."""

    phase: int
    sender: int
    receiver: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that the checker found."""

    fault: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Request:
    """Which Schedule is asked for."""

    algorithm: str
    operation: str
    hosts: tuple[int, ...]
    """The host of each rank, hosts numbered from 0."""
    block_bytes: int
    """Of a vector: bytes of the whole of it."""
    uneven: bool
    gate: str
    root: int = 0
    """Of bcast and reduce."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the native library makes of a Request."""

    request: Request
    port_use: str
    """The algorithm's promise: "one_message" or "one_host" for each port, direction and phase, or "any"."""
    phases: tuple[Traffic, ...]
    total: Traffic
    sends: tuple[Send, ...] | None
    """None where they were not asked for."""
    violations: tuple[Violation, ...] | None
    """None where the checker was not asked."""

    @property
    def ranks(self) -> int:
        return len(self.request.hosts)

    @property
    def hosts(self) -> int:
        return len(set(self.request.hosts))

    def sends_in(self, phase: int) -> list[Send]:
        return [send for send in self.sends or () if send.phase == phase]


def phase_name(phase: int, phases: int) -> str:
    """Letters as in the paper's figures, numbers where there are more phases than letters."""
    return chr(ord("A") + phase) if phases <= 26 else str(phase + 1)


def ranks_by_host(hosts: Sequence[int]) -> list[int]:
    """Ranks in the order in which pictures show them: host after host."""
    return sorted(range(len(hosts)), key=lambda rank: (hosts[rank], rank))
