"""Inputs of engines that read a knob there: a copy with a few lines more, in the directory of the race."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from clearway.job.change import Change

Insert = Callable[[str, str], str]  # lines into the text of an input


def named(program: Sequence[str], options: Sequence[str]) -> tuple[str, str] | None:
    """The option, and the file that it names."""
    for at, word in enumerate(program[:-1]):
        if word in options:
            return word, program[at + 1]
    return None


def text_of(name: str, folder: Path) -> str:
    """Empty where it cannot be read: then nothing is set in it."""
    try:
        return (folder / name).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def changed_copy(own: Path, lines: Sequence[str], file: Path, insert: Insert) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(insert(text_of(own.name, own.parent), "\n".join(lines)), encoding="utf-8", errors="surrogateescape")


def reading(option: str, name: str, file: Path) -> Change:
    """Of a program that names its input with an option; without one (""), as its only word."""
    if option:
        return Change(program_options=(option, str(file)))
    return Change(program_options=(str(file),), without=(name,))
