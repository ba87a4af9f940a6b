"""A plan in words: what changes, by which commands, what takes it back, and how safe it is."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Sequence

from clearway.cluster.hosts.change.drop_ins import DropIn
from clearway.cluster.hosts.settings import Change, Step, find_setting


def plan_lines(changes: Sequence[Change], drop_ins: Sequence[DropIn]) -> Iterator[str]:
    for change in changes:
        setting = find_setting(change.setting)
        yield f"{change.setting}{f' on {change.device}' if change.device else ''}: {setting.what}"
        if not change.needed:
            yield f"  already set: {change.before}"
            continue
        yield f"  now   {change.before}"
        yield f"  then  {change.after}"
        yield from step_lines(change.needed)
        yield f"  safe? {setting.safe}"
    for drop_in in drop_ins:
        yield f"{drop_in.path}: written, so that the setting survives a reboot"
        yield from (f"  {line}" for line in file_lines(drop_in))
        yield from step_lines(drop_in.steps)


def step_lines(steps: Sequence[Step]) -> Iterator[str]:
    yield from (f"  run   {shlex.join(step.command)}" for step in steps)
    yield from (f"  undo  {shlex.join(step.undo)}" for step in reversed(steps))


def file_lines(drop_in: DropIn) -> Iterator[str]:
    """The lines that come and go."""
    before, after = ((text or "").splitlines() for text in (drop_in.before, drop_in.after))
    return (line for line in difflib.ndiff(before, after) if line.startswith(("+ ", "- ")))
