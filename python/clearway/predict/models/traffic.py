"""What a Script moves in a step, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clearway.predict.models.script import Activity, Script

RECEIVES = frozenset({"recv", "irecv", "waitall", "compute", "barrier"})


@dataclass(frozen=True, slots=True)
class Row:
    """Calls alike."""

    kind: str
    communicator: str
    """Its name; of several alike, what their names begin with."""
    bytes: int
    """Of each message or block; of the longest where they differ."""
    calls: int
    """Of all ranks together."""
    messages: int
    """Blocks that a rank gives to another one; of sums, one a call."""
    moved_bytes: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """A step of a Script."""

    rows: tuple[Row, ...]
    """In the order in which the first rank that does it comes to it."""
    computing_ns: int
    """Of all ranks together."""
    most_computing_ns: int
    """Of the busiest rank."""

    @property
    def messages(self) -> int:
        return sum(row.messages for row in self.rows)

    @property
    def bytes(self) -> int:
        return sum(row.moved_bytes for row in self.rows)


def traffic_of(script: Script) -> Traffic:
    groups: dict[tuple[str, str, int | None], list[tuple[int, Activity]]] = {}
    for ranks, activity in script.activities():
        if activity.kind not in RECEIVES:
            size = activity.bytes if activity.uneven_bytes is None else None
            key = (activity.kind, activity.communicator.rstrip("0123456789"), size)
            groups.setdefault(key, []).append((ranks, activity))
    computing = computing_of(script)
    return Traffic(tuple(row_of(*key[:2], alike) for key, alike in groups.items()), sum(computing), max(computing))


def row_of(kind: str, communicator: str, alike: Sequence[tuple[int, Activity]]) -> Row:
    return Row(
        kind,
        communicator,
        max(activity.bytes for _, activity in alike),
        sum(ranks for ranks, _ in alike),
        sum(ranks * activity.copies for ranks, activity in alike),
        sum(ranks * activity.given_bytes for ranks, activity in alike),
    )


def computing_of(script: Script) -> list[int]:
    """Nanoseconds of each rank."""
    computing = [0] * script.ranks
    for each in script.lists:
        spent = sum(activity.duration_ns for activity in each.activities)
        for rank in each.ranks:
            computing[rank] += spent
    return computing
