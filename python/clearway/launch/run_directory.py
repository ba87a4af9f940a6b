"""The Run directory that `clearway run` makes before the job starts."""

from __future__ import annotations

import re
import time
from pathlib import Path, PurePath

from clearway.errors import ClearwayError


def make_run_directory(given: str | None, program: str) -> Path:
    """An empty directory, absolute: `given`, or clearway-PROGRAM-TIME in the working directory."""
    directory = Path(given) if given is not None else Path(_default_name(program))
    directory = Path.cwd() / directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        used = any(directory.iterdir())
    except OSError as error:
        raise ClearwayError(
            f"cannot make the Run directory '{directory}': {error.strerror}", "choose another one: -o DIR"
        ) from None
    if used:
        raise ClearwayError(f"the Run directory '{directory}' is not empty", "choose another one: -o DIR")
    return directory


def _default_name(program: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", PurePath(program).name)[:64]
    stem = f"clearway-{plain}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (stem if attempt == 0 else f"{stem}-{attempt}" for attempt in range(1000))
    return next(name for name in names if not Path(name).exists())
