"""What has been measured is kept, a line a run: a further call adds to it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from diagnosis.building import REPOSITORY

FOLDER = REPOSITORY / "build/io-cache"
PROMISING = ("case/scratch.py", "remedies/io_cache.py")


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

    @property
    def own_s(self) -> float:
        """Elapsed, less the time in which others had its core."""
        return self.wall_s - self.delay_s

    @property
    def stretch(self) -> float:
        return self.wall_s / (self.cpu_s + self.delay_s)


def kept_in(recorder: Path) -> Path:
    """A file for what is measured: the library, and what promises its gain. Results of other ones do not count."""
    parts = (library_of(recorder), *(REPOSITORY / "python/clearway" / name for name in PROMISING))
    return FOLDER / f"{hashlib.sha256(b''.join(part.read_bytes() for part in parts)).hexdigest()[:12]}.jsonl"


def library_of(recorder: Path) -> Path:
    """In an installation, or in a build folder."""
    folders = (recorder.parent.parent / "lib", recorder.parent)
    return next(path for folder in folders if (path := folder / "libclearway-io.so").exists())


def read(file: Path) -> list[Kept]:
    return [Kept(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def add(file: Path, one: Kept) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps(dataclasses.asdict(one)) + "\n")


def of(runs: Sequence[Kept], program: str, disk: str, way: str) -> list[Kept]:
    return [one for one in runs if (one.program, one.disk, one.way) == (program, disk, way)]


def middle(runs: Sequence[Kept], figure: Callable[[Kept], float | None]) -> float | None:
    """The median; None without figures."""
    known = [value for one in runs if (value := figure(one)) is not None]
    return median(known) if known else None
