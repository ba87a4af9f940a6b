"""What is to be written: for each collective and communicator size which algorithm from which block size on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

OWN = ""  # whatever the MPI chooses by itself

Settings = tuple[tuple[str, str], ...]  # environment variables, by name


@dataclass(frozen=True, slots=True)
class Library:
    """The MPI that files are written for."""

    name: str  # "Open MPI v4.1.4"
    family: str  # "openmpi", "mpich", "intel"
    version: tuple[int, ...]
    path: Path | None  # of the library, where it is known
    over_ucx: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """From blocks of so many bytes on."""

    from_bytes: int  # from each rank to each other; in an allgather, of each rank
    algorithm: str  # in the MPI's words; OWN


@dataclass(frozen=True, slots=True)
class Choice:
    """One collective on communicators of one size. Below the first step, and from `until_bytes` on, the MPI chooses."""

    operation: str  # "alltoall"
    ranks: int
    hosts: int
    steps: tuple[Step, ...]  # ascending
    until_bytes: int
    because: str  # which measurement says so

    @property
    def changes(self) -> bool:
        """Whether anything is chosen that the MPI would not choose itself."""
        return any(step.algorithm != OWN for step in self.steps)

    def from_zero(self, factor: int = 1, most: int | None = None) -> list[Step]:
        """Every size in one of the steps, none of which is like the one before; sizes times `factor`, below `most`."""
        made: list[Step] = []
        for step in (Step(0, OWN), *self.steps, Step(self.until_bytes, OWN)):
            size = step.from_bytes * factor
            if most is not None and size > most:
                break
            if made and made[-1].from_bytes == size:
                made.pop()
            if not made or made[-1].algorithm != step.algorithm:
                made.append(Step(size, step.algorithm))
        return made

    @property
    def single(self) -> str:
        """The one algorithm for all sizes, where the MPI cannot tell them apart: that of the largest blocks."""
        return self.steps[-1].algorithm


@dataclass(frozen=True, slots=True)
class Left:
    """What the MPI goes on choosing by itself, and why."""

    operation: str
    ranks: int
    why: str


@dataclass(frozen=True, slots=True)
class Settled:
    """All that was chosen."""

    library: Library
    choices: tuple[Choice, ...]
    everywhere: Settings  # in force for all messages, of whatever size
    left: tuple[Left, ...]
    sources: tuple[str, ...]
    lacking: tuple[str, ...] = ()  # sentences: where --flow has a way that this MPI lacks

    @property
    def empty(self) -> bool:
        return not self.choices and not self.everywhere


@dataclass(frozen=True, slots=True)
class Written:
    """In the MPI's own words."""

    files: Mapping[str, str]  # by name
    environment: Settings  # a value FILE_IN_DIRECTORY + name stands for that file's path
    unwritten: tuple[Left, ...] = field(default=())  # what this MPI's files cannot say


FILE_IN_DIRECTORY = "@file:"
