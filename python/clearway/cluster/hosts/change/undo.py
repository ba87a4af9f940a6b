"""Playing a record back, last change first."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.change.command import run_command, undivided
from clearway.cluster.hosts.change.drop_ins import put_text, read_text
from clearway.cluster.hosts.change.record import Begun, Record, put_aside
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings import find_setting


def undo(path: Path, record: Record, reader: Reader) -> None:
    """Plays `record` back, and its file is one to be played no longer. Raises ClearwayError with what stays changed."""
    with undivided():
        troubles = play_back(record, reader)
        if troubles:
            raise ClearwayError(
                "; ".join(troubles), f"{path} is kept: fix the cause and undo again, or remove the file"
            )
        put_aside(path)


def undo_lines(record: Record) -> Iterator[str]:
    """What playing it back does, in words."""
    yield f"changes of {record.time} on {record.host}"
    for begun in reversed(record.begun):
        on = f" on {begun.device}" if begun.device else ""
        yield f"{begun.path or begun.setting}{on}: {'as before' if begun.path else f'back to {begun.before}'}"
        yield from (f"  run   {shlex.join(command)}" for command in begun.undo)


def play_back(record: Record, reader: Reader) -> list[str]:
    """Puts everything back that can be; what cannot is in the answer. What is as it was is left alone."""
    troubles = []
    for begun in reversed(record.begun):
        try:
            put_back(begun, reader)
        except (ClearwayError, OSError) as error:
            troubles.append(f"{begun.setting or begun.path}: {error}")
    return troubles


def put_back(begun: Begun, reader: Reader) -> None:
    if now(begun, reader) == begun.before:
        return
    trouble = ""
    for command in begun.undo:
        try:
            run_command(command)
        except ClearwayError as error:
            trouble = trouble or error.message
    if begun.path:
        put_text(Path(begun.path), begun.before)
    if now(begun, reader) != begun.before:
        raise ClearwayError(trouble or f"it reads '{now(begun, reader)}', not '{begun.before}' as before")


def now(begun: Begun, reader: Reader) -> str | None:
    if begun.path:
        return read_text(Path(begun.path))
    return find_setting(begun.setting).read(reader, begun.device)
