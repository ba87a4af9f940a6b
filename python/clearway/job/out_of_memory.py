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

    in_group: int | None  # our control group's, or the batch job's, which the ranks on this host share
    on_machine: int | None  # anybody's
    job_was_full: int | None = None  # how often the batch job's control group met its limit


def killed_so_far(root: Path = Path("/")) -> Killed:
    """Reads a few small files."""
    statistics = _text(root / "proc/vmstat")
    return Killed(_in_group(root), _number(r"^oom_kill (\d+)$", statistics), _job_was_full(root))


def killed_since(before: Killed, now: Killed) -> Killed:
    """Version 1 counts in the victim's own group, which Slurm removes with its step. Where the job's group met its
    limit meanwhile, it was from there that the machine's were killed.
    """
    in_group, on_machine = _rise(before.in_group, now.in_group), _rise(before.on_machine, now.on_machine)
    was_full = _rise(before.job_was_full, now.job_was_full)
    return Killed(in_group or (on_machine if was_full else in_group), on_machine, was_full)


def _in_group(root: Path) -> int | None:
    version, group = _group(root)
    if version == 1:
        return _number(r"^oom_kill (\d+)$", _text(group / "memory.oom_control"))
    if version == 2:  # counts those of the groups below, too
        return _number(r"^oom_kill (\d+)$", _text(_of_job(group) / "memory.events"))
    return None


def _job_was_full(root: Path) -> int | None:
    version, group = _group(root)
    return _number(r"^(\d+)$", _text(_of_job(group) / "memory.failcnt")) if version == 1 else None


def _group(root: Path) -> tuple[int, Path]:
    """The version, and the folder of ours; 0 where there is none."""
    groups = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        groups[controllers] = path.lstrip("/")
    if "memory" in groups:
        return 1, root / VERSION_1.relative_to("/") / groups["memory"]
    return (2, root / MOUNTED.relative_to("/") / groups[""]) if "" in groups else (0, root)


def _of_job(group: Path) -> Path:
    """The group of all steps of a job of Slurm's; else the same."""
    return next((each for each in group.parents if re.fullmatch(r"job_\d+", each.name)), group)


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
