"""A job of a testbed, and the MPI that starts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Job:
    """One run: the program, its hosts, and how these are reached."""

    program: Sequence[str]
    slots: Sequence[tuple[str, int]]  # address and number of ranks, in the order of the ranks
    device: str  # the card for messages
    control_device: str  # the card for the launcher's own words
    remote_shell: Path
    environment: Mapping[str, str]  # for the ranks

    @property
    def ranks(self) -> int:
        return sum(count for _, count in self.slots)

    @property
    def slot_list(self) -> str:
        return ",".join(f"{address}:{count}" for address, count in self.slots)

    @property
    def shares_hosts(self) -> bool:
        return any(count > 1 for _, count in self.slots)


@dataclass(frozen=True, slots=True)
class Mpi:
    """An MPI of this machine. `environment` is for its launcher and its ranks."""

    name: str
    launcher: Path
    command: Callable[[Mpi, Job], list[str]]
    settings: Callable[[Mpi, Job], Mapping[str, str]]  # environment that this job needs besides
    environment: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name
