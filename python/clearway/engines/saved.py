"""engine.json in the Run directory: what the engine's log said when the job had ended.

The log itself does not stay: the next step truncates it, appends to it, or renames it.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from clearway.base.read_back import from_text
from clearway.engines.speed import Engine
from clearway.engines.words import Word

NAME = "engine.json"


@dataclass(frozen=True, slots=True)
class Kept:
    job: str  # the token in the header of each of its records
    engine: Engine
    words: tuple[Word, ...] = ()
    begin: int = 0  # where in its log the job's own part begins: before that, an earlier job may have written


def write_kept(directory: Path, job: str, engine: Engine, words: tuple[Word, ...] = (), begin: int = 0) -> None:
    """Whole or not at all. A Run that cannot be written to stays as it is."""
    temporary = directory / f".{NAME}"
    with contextlib.suppress(OSError):
        temporary.write_text(json.dumps(asdict(Kept(job, engine, words, begin))) + "\n")
        temporary.replace(directory / NAME)


def read_kept(directory: Path, job: str) -> Kept | None:
    """None where nothing was kept for this job, or nothing that can be understood."""
    try:
        kept = from_text(Kept, (directory / NAME).read_text())
    except (OSError, ValueError):
        return None
    speeds = (kept.engine.ns_per_day, kept.engine.s_per_step)
    return kept if kept.job == job and all(speed is None or speed > 0 for speed in speeds) else None
