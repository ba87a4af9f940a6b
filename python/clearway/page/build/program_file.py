"""The bytes of the program that the job ran, only where the file is still that of the job."""

from __future__ import annotations

from pathlib import Path

from clearway.diagnosis.facts import Case

LARGEST = 1 << 27  # bytes of the program: 128 MiB take a tenth of a second


def program_file(case: Case) -> tuple[str, bytes]:
    """Its name, and what it holds: nothing where it was built anew since, is too large, or cannot be read."""
    path = Path(case.fact("process.program") or "")
    ended_s = case.run.realtime_zero_ns * 1e-9 + float(case.run.processes["end_s"].max())
    try:
        if not path.is_absolute() or not path.is_file():
            return path.name, b""
        file = path.stat()
        if file.st_mtime > ended_s or file.st_size > LARGEST:
            return path.name, b""
        return path.name, path.read_bytes()
    except (OSError, ValueError):
        return path.name, b""
