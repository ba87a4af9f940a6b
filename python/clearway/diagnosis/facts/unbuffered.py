"""Variables that make a language's runtime write each piece by a system call of its own."""

from __future__ import annotations

from pathlib import PurePath

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import variable

STREAMS = ("stdout", "stderr")
YES = ("1", "t", "y")  # how what libgfortran takes for "yes" begins
NO_BUFFER = ("no", "false", "f", "off", "0")  # for FORT_BUFFERED of Intel's runtime


def unbuffered(case: Case, path: str) -> str:
    """ " GFORTRAN_UNBUFFERED_ALL=y …" where one of them is set that concerns this file; "" where none is."""
    told = [f"{name}={value}" for name, value in _told(case, path in STREAMS)]
    if not told:
        return ""
    return f" {' and '.join(told)} in the environment switches off the buffer that would combine them: try it without."


def _told(case: Case, is_stream: bool) -> list[tuple[str, str]]:
    names = ("GFORTRAN_UNBUFFERED_ALL", *(("GFORTRAN_UNBUFFERED_PRECONNECTED",) if is_stream else ()))
    found = [(name, value) for name in names if (value := variable(case, name) or "").lower().startswith(YES)]
    if (value := variable(case, "FORT_BUFFERED") or "").lower() in NO_BUFFER:
        found.append(("FORT_BUFFERED", value))
    is_python = PurePath(case.fact("process.program") or "").name.startswith("python")
    if is_stream and is_python and (value := variable(case, "PYTHONUNBUFFERED") or ""):
        found.append(("PYTHONUNBUFFERED", value))
    return found
