"""The testbeds of this machine, each a directory under /run: who owns it, and what its hosts need.

What a killed owner left behind is removed by whoever comes next.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.testbed.kernel import NAMESPACES, delete_namespaces
from clearway.testbed.layout import Layout, namespace_prefix
from clearway.testbed.processors import remove_groups
from clearway.testbed.shape import Shape

ROOT = Path("/run/clearway-testbed")
STATE = "state.json"  # in the directory of each


@dataclasses.dataclass(frozen=True)
class Entry:
    """A testbed that is up, or was when its owner died."""

    name: str
    shape_record: dict[str, Any]  # its shape, as this version of Clearway or another wrote it
    owner_pid: int | None  # None: it stays until `clearway testbed down`
    owner_start_ticks: int | None  # since boot: a process id alone is used again

    @property
    def directory(self) -> Path:
        return ROOT / self.name

    @property
    def shape(self) -> Shape:
        return Shape.from_record(self.shape_record)

    @property
    def layout(self) -> Layout:
        return Layout(self.name, self.shape)

    @property
    def is_abandoned(self) -> bool:
        return self.owner_pid is not None and start_ticks(self.owner_pid) != self.owner_start_ticks


def start_ticks(pid: int) -> int | None:
    """When process `pid` started; None if it is not there."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return None


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """One process at a time makes or removes entries."""
    ROOT.mkdir(mode=0o700, exist_ok=True)
    with (ROOT / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def register(shape: Shape, owned: bool) -> Entry:
    """A new entry; `owned`: by this process, whose end is its end."""
    with _locked():
        sweep()
        name = secrets.token_hex(2)
        while (ROOT / name).exists():
            name = secrets.token_hex(2)
        owner = os.getpid() if owned else None
        entry = Entry(name, dataclasses.asdict(shape), owner, start_ticks(owner) if owner is not None else None)
        entry.directory.mkdir(mode=0o700)
        state = {
            "name": name,
            "shape": entry.shape_record,
            "owner_pid": owner,
            "owner_start_ticks": entry.owner_start_ticks,
        }
        (entry.directory / ".state.json").write_text(json.dumps(state))
        (entry.directory / ".state.json").replace(entry.directory / STATE)
        return entry


def entries() -> list[Entry]:
    """All testbeds of this machine, abandoned ones too."""
    found = []
    for state in sorted(ROOT.glob(f"*/{STATE}")):
        # Another version may have written other words; a maker that was killed, none.
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads(state.read_text())
            found.append(Entry(record["name"], record["shape"], record["owner_pid"], record["owner_start_ticks"]))
    return found


def find(name: str | None) -> Entry:
    """The testbed called `name`; without a name the only one that was put up to stay."""
    known = [entry for entry in entries() if not entry.is_abandoned]
    chosen = [entry for entry in known if entry.name == name or (name is None and entry.owner_pid is None)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise ClearwayError("several testbeds are up", f"--name {' or '.join(entry.name for entry in chosen)}")
    what = "no testbed is up" if name is None else f"there is no testbed '{name}'"
    raise ClearwayError(what, "`clearway testbed up` starts one, `clearway testbed status` lists them")


def remove(entry: Entry) -> None:
    """Ends everything that runs on the testbed and takes it away."""
    # By name alone: another version of Clearway may have made it.
    delete_namespaces([path.name for path in NAMESPACES.glob(f"{namespace_prefix(entry.name)}*")])
    remove_groups(namespace_prefix(entry.name))
    shutil.rmtree(entry.directory, ignore_errors=True)


def sweep() -> None:
    """Removes what killed owners left behind."""
    for entry in entries():
        if entry.is_abandoned:
            remove(entry)
    for directory in ROOT.iterdir():
        if directory.is_dir() and not _has_state(directory / STATE):
            remove(Entry(directory.name, {}, None, None))


def _has_state(path: Path) -> bool:
    """Whether its maker came so far; the lock says that nobody is making it now."""
    try:
        json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return True
