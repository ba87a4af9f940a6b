"""How many processes the kernel has killed for want of memory: before a job and after it, that tells of the job's.

A rank that is killed so says nothing, and the ranks beside it are ended by their launcher within milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

MOUNTED = Path("/sys/fs/cgroup")
VERSION_1 = MOUNTED / "memory"


@dataclass(frozen=True, slots=True)
class Killed:
    """None where the kernel does not tell."""

    in_group: int | None  # our control group's, which the ranks on this host share
    on_machine: int | None  # anybody's


def killed_so_far(root: Path = Path("/")) -> Killed:
    """Reads three small files."""
    statistics = _text(root / "proc/vmstat")
    return Killed(_in_group(root), _number(r"^oom_kill (\d+)$", statistics))


def killed_since(before: Killed, now: Killed) -> Killed:
    return Killed(_rise(before.in_group, now.in_group), _rise(before.on_machine, now.on_machine))


def _in_group(root: Path) -> int | None:
    groups = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        groups[controllers] = path.lstrip("/")
    if "memory" in groups:
        folder = root / VERSION_1.relative_to("/") / groups["memory"]
        return _number(r"^oom_kill (\d+)$", _text(folder / "memory.oom_control"))
    if "" in groups:
        folder = root / MOUNTED.relative_to("/") / groups[""]
        return _number(r"^oom_kill (\d+)$", _text(folder / "memory.events"))
    return None


def _rise(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else max(now - before, 0)


def _number(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1]) if found else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
