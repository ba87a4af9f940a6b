"""Running a plan, each change read back. What goes wrong, or Ctrl-C, takes back what was done."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.change.command import run_command, undivided
from clearway.cluster.hosts.change.drop_ins import DropIn, put_text
from clearway.cluster.hosts.change.record import Begun, Record, new_record, put_aside, save
from clearway.cluster.hosts.change.undo import play_back
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings import Change, find_setting

Tell = Callable[[str], None]


def apply(changes: Sequence[Change], drop_ins: Sequence[DropIn], reader: Reader, tell: Tell) -> Path:
    """Makes the changes; the answer is the undo file. All of them or none: raises ClearwayError with what was wrong."""
    path, record = new_record()
    try:
        for change in changes:
            with undivided():
                record = begin(path, record, begun_by(change))
                make(change, reader)
            tell(f"{change.setting}{f' on {change.device}' if change.device else ''}: done and verified")
        for drop_in in drop_ins:
            with undivided():
                record = begin(path, record, begun_by_file(drop_in))
                put_text(drop_in.path, drop_in.after)
                for step in drop_in.steps:
                    run_command(step.command)
            tell(f"{drop_in.path}: written")
    except BaseException as error:
        with undivided():
            story, hint = take_back(path, record, reader)
        if isinstance(error, ClearwayError):
            raise ClearwayError(f"{error.message}; {story}", hint or error.hint) from None
        tell(story)
        raise
    return path


def begun_by(change: Change) -> Begun:
    return Begun(change.setting, change.device, change.before, "", tuple(step.undo for step in reversed(change.needed)))


def begun_by_file(drop_in: DropIn) -> Begun:
    return Begun("", "", drop_in.before, str(drop_in.path), tuple(step.undo for step in reversed(drop_in.steps)))


def begin(path: Path, record: Record, begun: Begun) -> Record:
    record = dataclasses.replace(record, begun=(*record.begun, begun))
    save(path, record)
    return record


def make(change: Change, reader: Reader) -> None:
    complaints = [words for words in (run_command(step.command) for step in change.needed) if words]
    reads = find_setting(change.setting).read(reader, change.device)
    if reads != change.after:  # some tools fail, and end as if they had not
        said = f" ({'; '.join(complaints)})" if complaints else ""
        raise ClearwayError(f"{change.setting} reads '{reads}' after the change, not '{change.after}'{said}")


def take_back(path: Path, record: Record, reader: Reader) -> tuple[str, str | None]:
    """What became of what was begun, in words, and what to do about it."""
    if not record.begun:
        return "nothing was changed", None
    troubles = play_back(record, reader)
    if troubles:
        return f"undoing it failed: {'; '.join(troubles)}", f"clearway host apply --undo {path}"
    put_aside(path)
    return "everything is as it was before", None
