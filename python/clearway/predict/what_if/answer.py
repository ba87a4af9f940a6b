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
    """A recorded job beside itself with something otherwise."""

    schema: str
    run: str  # directory
    program: str
    ranks: int
    changes: tuple[str, ...]  # in words
    wall_s: float  # as recorded, mean over ranks
    what_if_s: float  # if each change gave all it can give
    least_gain_s: float  # what comes back in any case, as far as the record tells
    lines: tuple[Line, ...]
    replayed_calls: int
    check: float  # the replay of the job as it was ÷ the time that was recorded
    notes: tuple[str, ...]

    @property
    def gain_s(self) -> float:
        return self.wall_s - self.what_if_s
