"""What a Script moves in a step, added up."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.workloads.script import Script

RECEIVES = frozenset({"recv", "irecv", "waitall", "compute", "barrier"})


@dataclass(frozen=True, slots=True)
class Row:
    """Calls alike."""

    kind: str
    communicator: str
    """Its name; of several alike, what their names begin with."""
    bytes: int
    """Of each message or block."""
    calls: int
    """Of all ranks together."""
    messages: int
    """Blocks that a rank gives to another one; of sums, one a call."""


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
        return sum(row.messages * row.bytes for row in self.rows)


def traffic_of(script: Script) -> Traffic:
    calls: dict[tuple[str, str, int], int] = {}
    messages: dict[tuple[str, str, int], int] = {}
    for ranks, activity in script.activities():
        if activity.kind not in RECEIVES:
            key = (activity.kind, activity.communicator.rstrip("0123456789"), activity.bytes)
            calls[key] = calls.get(key, 0) + ranks
            messages[key] = messages.get(key, 0) + ranks * activity.copies
    rows = tuple(Row(*key, calls[key], messages[key]) for key in calls)
    computing = computing_of(script)
    return Traffic(rows, sum(computing), max(computing))


def computing_of(script: Script) -> list[int]:
    """Nanoseconds of each rank."""
    computing = [0] * script.ranks
    for each in script.lists:
        spent = sum(activity.duration_ns for activity in each.activities)
        for rank in each.ranks:
            computing[rank] += spent
    return computing
