"""A Script: what every rank does in one time step. native/workload/parse.hpp reads its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FORMAT = "clearway-script 1"
WORLD = "world"


@dataclass(frozen=True, slots=True)
class Activity:
    """One line of a rank's list. Made by the functions below."""

    kind: str
    words: tuple[object, ...] = ()
    bytes: int = 0
    """Of each message or block that the rank gives to others; the largest where they differ."""
    copies: int = 0
    """How many others it gives such a block to."""
    uneven_bytes: int | None = None
    """Of all that it gives to others, where blocks differ."""
    duration_ns: int = 0
    """Of computing."""
    tag: int = 0
    communicator: str = WORLD

    @property
    def given_bytes(self) -> int:
        """To all others together."""
        return self.bytes * self.copies if self.uneven_bytes is None else self.uneven_bytes

    @property
    def line(self) -> str:
        words = [self.kind, *map(str, self.words)]
        words += ["tag", str(self.tag)] if self.tag else []
        words += ["comm", self.communicator] if self.communicator != WORLD else []
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class RankList:
    """The same list for some ranks."""

    ranks: Sequence[int]
    activities: tuple[Activity, ...]


@dataclass(frozen=True, slots=True)
class Script:
    title: str
    ranks: int
    steps: int
    lists: tuple[RankList, ...]
    """A rank that is in several does them one after another."""
    communicators: tuple[tuple[str, Sequence[int]], ...] = ()
    """Besides the world: name and ranks, ascending."""
    time_steps: int = 1
    """Of the simulation, in each step."""

    def activities(self) -> Iterator[tuple[int, Activity]]:
        """Each with the number of ranks that do it in a step."""
        for each in self.lists:
            for activity in each.activities:
                yield len(each.ranks), activity

    def text(self) -> str:
        lines = [FORMAT, f"title {self.title}", f"ranks {self.ranks}", f"steps {self.steps}"]
        lines += [f"comm {name} {ranges(ranks).replace(',', ' ')}" for name, ranks in self.communicators]
        for each in self.lists:
            lines.append(f"rank {ranges(each.ranks)}")
            lines += [activity.line for activity in each.activities]
        return "\n".join(lines) + "\n"


def ranges(ranks: Sequence[int]) -> str:
    """Ascending numbers in few words: "0-3,6"."""
    pieces: list[list[int]] = []
    for rank in ranks:
        if pieces and rank == pieces[-1][1] + 1:
            pieces[-1][1] = rank
        else:
            pieces.append([rank, rank])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in pieces)


def neighbour(offset: int) -> str:
    """A peer so many ranks further, around the communicator."""
    return f"{offset:+d}"


def compute(duration_ns: float) -> Activity:
    return Activity("compute", (round(duration_ns),), duration_ns=round(duration_ns))


def isend(to: int | str, size: int, tag: int = 0) -> Activity:
    return Activity("isend", (to, size), size, 1, tag=tag)


def irecv(source: int | str, size: int, tag: int = 0) -> Activity:
    return Activity("irecv", (source, size), tag=tag)


def waitall() -> Activity:
    return Activity("waitall")


def sendrecv(to: int | str, size: int, source: int | str, source_size: int, communicator: str = WORLD) -> Activity:
    return Activity("sendrecv", (to, size, source, source_size), size, 1, communicator=communicator)


def alltoall(ranks: int, size: int, communicator: str = WORLD) -> Activity:
    """`size` bytes from each of the communicator's `ranks` to each other."""
    return Activity("alltoall", (size,), size, ranks - 1, communicator=communicator)


def alltoallv(sizes: Sequence[int], own: int) -> Activity:
    """Bytes to each rank of the world, the `own` one included."""
    largest = max(size for rank, size in enumerate(sizes) if rank != own)
    return Activity("alltoallv", tuple(sizes), largest, len(sizes) - 1, sum(sizes) - sizes[own])


def allgatherv(sizes: Sequence[int]) -> Activity:
    return Activity("allgatherv", tuple(sizes), max(sizes), len(sizes) - 1)


def allreduce(size: int) -> Activity:
    return Activity("allreduce", (size,), size, 1)


def reduce(root: int, size: int) -> Activity:
    return Activity("reduce", (root, size), size, 1)
