"""What has been measured is kept in the repository, a line a run: a further call adds to it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from diagnosis.building import REPOSITORY
from measured.circumstances import Circumstances

RESULTS = Path(__file__).resolve().parent / "results.jsonl"
PROMISING = ("diagnosis/facts/scratch.py", "diagnosis/remedies/io_cache.py")


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
    promised_s: float | None = None  # of a plain run: what its finding promises of the I/O cache
    recommended: list[str] | None = None  # of a plain run: the options that its finding recommends
    circumstances: Circumstances | None = None
    build: str = ""  # of what was measured

    @property
    def own_s(self) -> float:
        """Elapsed, less the time in which others had its core."""
        return self.wall_s - self.delay_s

    @property
    def stretch(self) -> float:
        return self.wall_s / (self.cpu_s + self.delay_s)


def build_of(recorder: Path) -> str:
    """Which library was measured, and what promises its gain. Results of other ones do not count."""
    parts = (library_of(recorder), *(REPOSITORY / "python/clearway" / name for name in PROMISING))
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()[:12]


def library_of(recorder: Path) -> Path:
    """In an installation, or in a build folder."""
    folders = (recorder.parent.parent / "lib", recorder.parent)
    return next(path for folder in folders if (path := folder / "libclearway-io.so").exists())


def read() -> list[Kept]:
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return [
        Kept(**{**kept, "circumstances": Circumstances(**kept["circumstances"])}) for kept in map(json.loads, lines)
    ]


def add(one: Kept) -> None:
    with RESULTS.open("a") as lines:
        lines.write(json.dumps(dataclasses.asdict(one)) + "\n")


def of(runs: Sequence[Kept], program: str, disk: str, way: str) -> list[Kept]:
    return [one for one in runs if (one.program, one.disk, one.way) == (program, disk, way)]


def middle(runs: Sequence[Kept], figure: Callable[[Kept], float | None]) -> float | None:
    """The median; None without figures."""
    known = [value for one in runs if (value := figure(one)) is not None]
    return median(known) if known else None
