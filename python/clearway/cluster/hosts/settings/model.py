"""A setting of a host, and a change of it: the exact commands, and those that take them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clearway.cluster.hosts.reader import Reader

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One command, and the one that undoes it. Neither goes through a shell."""

    command: Command
    undo: Command


@dataclass(frozen=True, slots=True)
class Change:
    """From what a setting is to what it shall be."""

    setting: str
    device: str  # "" for what is no card's
    before: str  # as the setting's `read` gives it
    after: str
    steps: tuple[Step, ...]  # all that make it so, whatever it is now

    @property
    def needed(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.command != step.undo) if self.before != self.after else ()


@dataclass(frozen=True, slots=True)
class Setting:
    """Something of a host that root can change. `read` gives all that `plan` may change, in words that compare."""

    id: str
    what: str
    safe: str  # how safe it is to change
    values: str  # what VALUE may be in ID=VALUE
    default: str | None  # VALUE where none is given; None: it must be
    of_device: bool
    read: Callable[[Reader, str], str]  # (reader, device)
    plan: Callable[[Reader, str, str], Change]  # (reader, device, value); ClearwayError for what is no value
