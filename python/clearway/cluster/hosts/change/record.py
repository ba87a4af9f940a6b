"""The way back as a file: on the disk before anything changes, and true at every moment after.

A change stands in it before its first command runs, so it may be undone though it never happened: that does no harm.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import time
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.read_back import parsed, read_back, schema_in
from clearway.cluster.hosts.settings.model import Command

SCHEMA = "clearway-host-undo-1"
FOLDER = Path("/var/lib/clearway")
TOOLS = ("ip", "sysctl", "ethtool", "mount", "systemctl")  # a damaged file runs nothing else


@dataclass(frozen=True, slots=True)
class Begun:
    """What puts back one setting, or one file, once its change was begun."""

    setting: str  # "" where it is a file
    device: str
    before: str | None  # what the setting reads when it is back; the file's text, None: there was none
    path: str  # of the file; "" where it is a setting
    undo: tuple[Command, ...]  # in the order in which they run


@dataclass(frozen=True, slots=True)
class Record:
    """What one `clearway host apply` began, in order."""

    schema: str
    host: str
    time: str
    begun: tuple[Begun, ...] = ()


def new_record() -> tuple[Path, Record]:
    """An empty record of changes to come, and the file it will be in."""
    host, now = platform.node(), time.gmtime()
    stem = f"host-undo-{host}-{time.strftime('%Y%m%dT%H%M%SZ', now)}"
    names = (f"{stem}{f'-{n}' if n else ''}.json" for n in range(1000))
    path = next(FOLDER / name for name in names if not (FOLDER / name).exists())
    return path, Record(SCHEMA, host, time.strftime("%Y-%m-%dT%H:%M:%SZ", now))


def save(path: Path, record: Record) -> None:
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise ClearwayError(
            f"cannot make {path.parent} for the undo file: {error.strerror}",
            "nothing was changed; run it as root, or fix the cause first",
        ) from None
    with whole_file(path) as stream:
        json.dump(dataclasses.asdict(record), stream, indent=1)
        stream.write("\n")


def load(path: Path) -> Record:
    """Raises ClearwayError for what is no undo file of this host, before anything is done with it."""
    try:
        tree = parsed(path.read_text())
        schema = schema_in(tree)
        if schema not in (None, SCHEMA):
            raise ClearwayError(
                f"'{path}' has schema {schema}; this version of Clearway reads {SCHEMA}",
                "undo it with the version of Clearway that made the change",
            )
        record = read_back(Record, tree)
        refuse_foreign(record)
    except OSError as error:
        raise ClearwayError(f"cannot read '{path}': {error.strerror}", f"undo files are in {FOLDER}") from None
    except ValueError as error:
        raise ClearwayError(
            f"'{path}' is not an undo file, or is damaged ({error}); nothing was changed",
            "the file lists the commands as text: run those that can still be read",
        ) from None
    if record.host != platform.node():
        raise ClearwayError(
            f"'{path}' was written on host {record.host}; this is {platform.node()}", f"run it on {record.host}"
        )
    return record


def refuse_foreign(record: Record) -> None:
    """Raises ValueError where it would run what no change of ours does."""
    for command in (command for one in record.begun for command in one.undo):
        if command[:1] not in [(tool,) for tool in TOOLS]:
            raise ValueError(f"'{' '.join(command)}' is not a command of an undo file")


def waiting() -> list[Path]:
    """The undo files of this host that were not played back, newest last."""
    return sorted(FOLDER.glob(f"host-undo-{platform.node()}-*.json"), key=lambda path: path.stat().st_mtime_ns)


def choose(name: str) -> Path:
    """The undo file called `name`, or the newest where that is empty: changes are taken back in reverse."""
    files = waiting()
    if not files and not name:
        raise ClearwayError(
            f"nothing to undo: {FOLDER} has no undo file of this host",
            "`clearway host apply` writes one with each change",
        )
    path = Path(name).absolute() if name else files[-1]
    if path in files and path != files[-1]:
        raise ClearwayError(
            f"'{path}' is not the latest change of this host", f"first undo the later one: --undo {files[-1]}"
        )
    return path


def put_aside(path: Path) -> None:
    """What is undone is not undone again."""
    path.rename(path.with_suffix(".undone"))
