"""What has been measured is kept, a line a run: a further call adds to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from diagnosis.building import REPOSITORY

FILE = REPOSITORY / "build/io-cache/runs.jsonl"


@dataclass(frozen=True, slots=True)
class Kept:
    """One run."""

    program: str
    disk: str
    way: str
    wall_s: float
    cpu_s: float
    delay_s: float
    energy: str  # as printed
    memory_bytes: int  # the most that its processes took, where that was watched
    scratch_bytes: int  # the most that its scratch files held at a time
    budget_bytes: int | None = None
    promised_s: float | None = None  # of a plain run: what its finding promises of the I/O cache
    recommended: str | None = None  # of a plain run: the size that its finding recommends

    @property
    def own_s(self) -> float:
        """Elapsed, less the time in which others had its core."""
        return self.wall_s - self.delay_s

    @property
    def stretch(self) -> float:
        return self.wall_s / (self.cpu_s + self.delay_s)


def read() -> list[Kept]:
    return [Kept(**json.loads(line)) for line in FILE.read_text().splitlines()] if FILE.exists() else []


def add(one: Kept) -> None:
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with FILE.open("a") as file:
        file.write(json.dumps(dataclasses.asdict(one)) + "\n")


def of(runs: Sequence[Kept], program: str, disk: str, way: str) -> list[Kept]:
    return [one for one in runs if (one.program, one.disk, one.way) == (program, disk, way)]


def middle(runs: Sequence[Kept], figure: Callable[[Kept], float | None]) -> float | None:
    """The median; None without figures."""
    known = [value for one in runs if (value := figure(one)) is not None]
    return median(known) if known else None
