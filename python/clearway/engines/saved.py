"""engine.json in the Run directory: what the engine's log said when the job had ended.

The log itself does not stay: the next step truncates it, appends to it, or renames it.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

from clearway.engines.speed import Engine

NAME = "engine.json"


def write_kept(directory: Path, job: str, engine: Engine) -> None:
    """Whole or not at all. A Run that cannot be written to stays as it is."""
    temporary = directory / f".{NAME}"
    with contextlib.suppress(OSError):
        temporary.write_text(json.dumps({"job": job, "engine": asdict(engine)}) + "\n")
        temporary.replace(directory / NAME)


def read_kept(directory: Path, job: str) -> Engine | None:
    """None where nothing was kept for this job, or nothing that can be understood."""
    try:
        said = json.loads((directory / NAME).read_text())
        return _engine(said["engine"]) if said["job"] == job else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _engine(said: dict[str, object]) -> Engine:
    return Engine(
        str(said["name"]),
        str(said["log"]),
        _number(said["ns_per_day"]),
        _number(said["s_per_step"]),
        None if said["steps"] is None else int(str(said["steps"])),
    )


def _number(said: object) -> float | None:
    """A positive number, or a ValueError."""
    if said is None:
        return None
    number = float(str(said))
    if not 0 < number < float("inf"):
        raise ValueError(f"{number} is no speed")
    return number
