"""What stands for a value when it is completed."""

from __future__ import annotations

from commands_read import Command, Option

FILES = {"FILE", "TABLE", "VARIANTS"}
FOLDERS = {"DIR", "OTHER"}


def kind_of(option: Option) -> str:
    """ "choices", "file", "folder", or "" where only the user knows."""
    if option.choices:
        return "choices"
    if option.value in FILES:
        return "file"
    return "folder" if option.value in FOLDERS else ""


def operand_of(command: Command) -> Option | None:
    """The first word that stands by itself; that of a job is another program's."""
    return command.operands[0] if command.operands and not command.ends_with_job else None
