"""Lines on a terminal or in a pipe, in the characters that it has."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from clearway.base.ascii_only import ascii_only
from clearway.base.sheet import Sheet

NARROWEST = 60
WIDEST = 100  # longer lines are hard to follow
PIPED = 100


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """`clearway report DIR | head` is no fault: rich would end with exit code 1."""
        raise BrokenPipeError


def open_console(stream: TextIO | None = None) -> Console:
    """A console on `stream` (stdout): as wide as the terminal, or a fixed width in a pipe. Markup and emoji are off."""
    stream = stream or sys.stdout
    console = _Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PIPED
    return console


def sheet_for(console: Console, show_all: bool = False) -> Sheet:
    width = max(NARROWEST, min(WIDEST, console.width))
    return Sheet(width, show_all, console.color_system is not None and not console.no_color)


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    plain = not (console.encoding or "utf-8").lower().replace("-", "").startswith("utf8")
    for line in lines:
        console.print(Text(ascii_only(line.plain)) if plain else line)
