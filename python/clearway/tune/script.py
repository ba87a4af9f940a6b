"""The answer as a job script."""

from __future__ import annotations

from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.visible import visible
from clearway.tune.answer import sentences
from clearway.tune.tuning import Tuning


def check_script(path: str) -> None:
    """A job script that is there is somebody's work. Raises ClearwayError."""
    if Path(path).exists():
        raise ClearwayError(f"'{path}' exists already", "give a new file with --write")


def write_script(tuning: Tuning, path: str) -> None:
    """With what is known of the line as comments. Raises ClearwayError."""
    check_script(path)
    with whole_file(path) as stream:
        stream.write("#!/bin/sh\n")
        for sentence in (f"clearway tune, {tuning.measured_at}", *sentences(tuning)):
            stream.write(f"# {visible(sentence)}\n")
        stream.write(f"{tuning.best_command}\n")
    Path(path).chmod(Path(path).stat().st_mode | 0o111)
