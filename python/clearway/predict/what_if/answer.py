"""The tree that all outputs of `clearway what-if` show."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "clearway-what-if-1"


@dataclass(frozen=True, slots=True)
class Line:
    """Of the ledger. Seconds are wall-clock, as a mean over ranks."""

    line: str  # its name in the ledger
    words: str  # "waiting for another rank"
    recorded_s: float
    what_if_s: float
    sure_s: float  # where only came back what the record shows for certain


@dataclass(frozen=True, slots=True)
class Answer:
    """A recorded job, and its replay with changes, or simulated on another cluster."""

    schema: str
    run: str  # directory
    program: str
    ranks: int
    changes: tuple[str, ...]  # in words
    wall_s: float  # as recorded, mean over ranks
    what_if_s: float  # wall-clock if each change gains as much as possible
    least_gain_s: float  # certain gain, as far as the record shows; below 0: on another cluster it may take longer
    lines: tuple[Line, ...]
    replayed_calls: int
    check: float | None  # replay without a change ÷ the recorded time; null: simulated on another cluster
    notes: tuple[str, ...]

    @property
    def gain_s(self) -> float:
        return self.wall_s - self.what_if_s
