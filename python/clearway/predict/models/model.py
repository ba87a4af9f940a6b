"""What a model of a program is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from clearway.predict.models.script import RankList


@dataclass(frozen=True, slots=True)
class System:
    """What is simulated, and how long one core takes for a time step of it."""

    words: str
    atoms: int
    serial_ns: float
    """Of one core, for a time step."""
    timing: str
    """Where that is from, and of which processor."""


@dataclass(frozen=True, slots=True)
class Job:
    """How it is run."""

    ranks: int
    cpu: float = 1.0
    """Speed of a core, as a multiple of the one that the system's timing was taken on."""

    def share_ns(self, serial_ns: float, serial_part: float = 0.0) -> float:
        """Of each rank, where all but `serial_part` of the work is divided among the ranks."""
        return serial_ns / self.cpu * (serial_part + (1 - serial_part) / self.ranks)


@dataclass(frozen=True, slots=True)
class Step:
    """What the ranks do in a step."""

    lists: tuple[RankList, ...]
    communicators: tuple[tuple[str, range], ...] = ()
    time_steps: int = 1
    """Of the simulation, where its communication repeats only every few of them."""


class Program(Protocol):
    """What a module of the folder `programs` provides. Its docstring says who sends what, and by what source."""

    __doc__: str | None
    SYSTEMS: Mapping[str, Any]
    """By name, the one that is taken where none is named first; each a System."""

    def step(self, system: Any, job: Job) -> Step: ...
