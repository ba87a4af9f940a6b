"""Where Runs are below a directory: each folder that holds a record."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError

RECORD = ".cwr"


@dataclass(frozen=True, slots=True)
class Places:
    runs: tuple[Path, ...]
    closed: int  # folders that could not be looked into


def find_runs(top: Path) -> Places:
    """In order of their paths. Links are not followed: they lead around in circles. Raises ClearwayError."""
    if not top.is_dir():
        problem = "it is a file" if top.exists() else "there is no such directory"
        raise ClearwayError(
            f"cannot look for Runs in {top}: {problem}", "give a directory with Runs below it: clearway list DIR"
        )
    found: list[Path] = []
    closed: list[OSError] = []
    for folder, below, files in os.walk(top, onerror=closed.append):
        below.sort()
        if any(name.endswith(RECORD) for name in files):
            found.append(Path(folder))
    return Places(tuple(found), len(closed))
