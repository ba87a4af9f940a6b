"""A copy of the engine's log in the Run directory, for runs whose own files are not kept."""

from __future__ import annotations

import contextlib
from pathlib import Path

from clearway.base.read_back import from_text
from clearway.engines.saved import NAME, Kept

LOG = "engine.log"
LARGEST = 16 << 20  # of a longer log, the middle is left out


def keep_log(directory: Path) -> None:
    """Of the log that the speed was read from, now that the job has ended. One that cannot be read is not kept.

    Only what this job wrote: a log may be appended to, and then begins with another job's energies.
    """
    with contextlib.suppress(OSError, ValueError):
        kept = from_text(Kept, (directory / NAME).read_text())
        log = Path(kept.engine.log)
        with log.open("rb") as stream:
            stream.seek(kept.begin)
            text = stream.read(LARGEST // 2)
            stream.seek(max(kept.begin + LARGEST // 2, log.stat().st_size - LARGEST // 2))
            (directory / LOG).write_bytes(text + stream.read(LARGEST // 2))


def kept_log(directory: Path) -> str:
    """Empty where none was kept."""
    try:
        return (directory / LOG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
