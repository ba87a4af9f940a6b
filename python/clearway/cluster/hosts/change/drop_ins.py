"""What makes changes last: a drop-in for sysctl, and a unit of systemd that runs the other commands at each start."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.cluster.hosts.reader import find_tool
from clearway.cluster.hosts.settings import Change
from clearway.cluster.hosts.settings.model import Step

SYSCTL_FILE = Path("/etc/sysctl.d/90-clearway.conf")
UNIT_FILE = Path("/etc/systemd/system/clearway-host.service")
UNIT = UNIT_FILE.name
ENABLE = Step(("systemctl", "enable", UNIT), ("systemctl", "disable", UNIT))

HEADING = "# Written by `clearway host apply --persist`; `clearway host apply --undo` takes it back."
UNIT_HEAD = f"""{HEADING}
[Unit]
Description=Settings of network and memory for parallel jobs
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
RemainAfterExit=yes
"""
UNIT_TAIL = """
[Install]
WantedBy=multi-user.target
"""
BLOCK = "# setting: "
RUN = "ExecStart=-"  # where one fails, the others still run; the journal has it


@dataclass(frozen=True, slots=True)
class DropIn:
    """A file to be written; None for `before`: there was none. `steps` come after the writing."""

    path: Path
    before: str | None
    after: str
    steps: tuple[Step, ...] = ()


def drop_ins_for(changes: Sequence[Change]) -> tuple[DropIn, ...]:
    """The files that make `changes` last, with what earlier ones put there. Raises ClearwayError without systemd."""
    keys = [step.command[2] for change in changes for step in change.steps if step.command[0] == "sysctl"]
    blocks = {f"{change.setting} {change.device}".strip(): runs_of(change) for change in changes if runs_of(change)}
    files = []
    if keys:
        before = read_text(SYSCTL_FILE)
        files.append(DropIn(SYSCTL_FILE, before, sysctl_text(before or "", keys)))
    if blocks:
        if shutil.which("systemctl") is None:
            raise ClearwayError(
                f"--persist needs systemd for {', '.join(blocks)}, but this host has no systemctl",
                "leave out --persist, and run `clearway host apply … --yes` whenever this host starts",
            )
        before = read_text(UNIT_FILE)
        files.append(DropIn(UNIT_FILE, before, unit_text(before or "", blocks), (ENABLE,) if before is None else ()))
    return tuple(file for file in files if file.before != file.after)


def runs_of(change: Change) -> list[str]:
    """The unit's lines for what is no key of sysctl."""
    commands = [step.command for step in change.steps if step.command[0] != "sysctl"]
    return [RUN + " ".join(map(quoted, (find_tool(tool), *words))) for tool, *words in commands]


def sysctl_text(before: str, assignments: Sequence[str]) -> str:
    """`before` with KEY=VALUE lines put in place of those of the same keys."""
    lines = {line.partition("=")[0].strip(): line for line in before.splitlines() if "=" in line}
    lines |= {assignment.partition("=")[0]: " = ".join(assignment.split("=", 1)) for assignment in assignments}
    return "\n".join([HEADING, *lines.values()]) + "\n"


def unit_text(before: str, blocks: Mapping[str, list[str]]) -> str:
    """`before` with these blocks in place of those of the same settings."""
    everything = {**blocks_of(before), **blocks}
    lines = [line for name, runs in everything.items() for line in (f"{BLOCK}{name}", *runs)]
    return UNIT_HEAD + "\n".join(lines) + "\n" + UNIT_TAIL


def blocks_of(text: str) -> dict[str, list[str]]:
    """The unit's lines by what they set, as `unit_text` wrote them."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith(BLOCK):
            name = line.removeprefix(BLOCK)
        elif line.startswith(RUN):
            found.setdefault(name, []).append(line)
    return found


def quoted(word: str) -> str:
    """As systemd reads a word: it expands % and $."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if not escaped or any(c.isspace() or c in "\"';" for c in escaped) else escaped


def read_text(path: Path) -> str | None:
    try:
        return path.read_text()
    except FileNotFoundError:
        return None


def put_text(path: Path, text: str | None) -> None:
    """Whole, or not at all; None takes the file away."""
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as stream:
        stream.write(text)
    path.chmod(0o644)
