"""A form's files on the disk, and the command that uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.output_file import whole_file, write_error
from clearway.cluster.forms.command import as_placed, program_of
from clearway.cluster.forms.registry import FORMS
from clearway.cluster.placement import Placement


@dataclass(frozen=True, slots=True)
class Written:
    command: tuple[str, ...]
    files: tuple[str, ...]
    notes: tuple[str, ...]


def write_form(
    form: str, placement: Placement, directory: str, command: Sequence[str], environment: Mapping[str, str]
) -> Written:
    """Writes into `directory`, which is made where it is not there. Raises ClearwayError."""
    entry = FORMS[form]
    command = command or [entry.launcher, "PROGRAM"]
    made = entry.make(placement, directory, program_of(entry, command, environment))
    words = as_placed(
        made, entry, command, environment, placement.binds
    )  # what can be wrong with the command is found first
    try:
        if made.files:
            Path(directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(directory, error) from None
    paths = [f"{directory}/{name}" for name in made.files]
    for path, text in zip(paths, made.files.values(), strict=True):
        with whole_file(path) as stream:
            stream.write(text)
    return Written(tuple(words), tuple(paths), made.notes)
