"""What the sections of the terminal page share: its width, its manner, and tables that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from clearway.base.visible import ELLIPSIS, visible

INDENT = 2
GAP = 2
LONGEST_CELL = 400
CUT = 10  # rows of a list, unless all are wanted
QUIET = "dim"
NUMBER = "#8a949a"  # of a bar that is no line of the ledger
FLAG = "bold #D55E00"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The paper: how wide it is, whether lists are cut, whether colours tell the lines of a bar apart."""

    width: int
    show_all: bool
    colour: bool

    def cut(self, rows: Sequence[object], most: int = CUT) -> int:
        """How many of `rows` to show: never one short, since "1 more" takes a line as well."""
        return len(rows) if self.show_all or len(rows) <= most + 1 else most


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Where the sheet is narrow, those with the lowest `keep` are cut down, and go, first."""

    title: str
    keep: int = 5
    left: bool = False
    flexible: int = 0  # its text may be cut down to so many columns
    begins: bool = False  # what is cut is its end, as of a sentence


def heading(title: str, note: str, sheet: Sheet) -> Text:
    title = visible(title)
    line = Text.assemble((title, "bold"))
    while note and cell_len(title) + 2 + cell_len(note) > sheet.width:
        note = note.rpartition(" · ")[0]  # the least telling part of a note comes last
    if note:
        space = sheet.width - cell_len(title) - cell_len(note)
        line.append(" " * max(2, space)).append(note, style=QUIET)
    return line


def more(hidden: int, what: str, sheet: Sheet) -> list[Text]:
    """What a cut list says at its end."""
    if hidden <= 0:
        return []
    line = f"{' ' * INDENT}{ELLIPSIS} and {hidden:,} more {what} (--all shows them)"
    return [Text(line if cell_len(line) <= sheet.width else line.replace(f" {what}", ""), style=QUIET)]


def paragraph(text: Text, width: int, indent: int = 0) -> list[Text]:
    """`text` broken into lines at blanks; words longer than a line are broken where they must."""
    lines: list[Text] = []
    for word in text.split(" "):
        while True:
            if not lines:
                lines.append(Text(" " * indent))
                fresh = True
            room = width - lines[-1].cell_len - (0 if fresh else 1)
            if word.cell_len <= room:
                if not fresh:
                    lines[-1].append(" ")
                lines[-1].append_text(word)
                fresh = False
                break
            if fresh:
                take = max(1, len(set_cell_size(word.plain, room).rstrip()))
                head, word = word.divide([take])
                lines[-1].append_text(head)
            lines.append(Text(" " * indent))
            fresh = True
    return lines


def meter(share: float, columns: int) -> str:
    """A horizontal bar to an eighth of a column."""
    eighths = round(max(0.0, min(1.0, share)) * columns * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].rstrip()


Cell = str | Text


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], sheet: Sheet) -> list[Text]:
    """The rows under their titles, aligned, no wider than the sheet; what a job wrote into a cell is made visible."""
    cells = [[safe(cell) for cell in row] for row in rows]
    shown = [i for i in range(len(columns)) if any(row[i].plain.strip() for row in cells)]
    wanted = [max([cell_len(c.title), *(row[i].cell_len for row in cells)]) for i, c in enumerate(columns)]
    least = [min(w, c.flexible) if c.flexible else w for w, c in zip(wanted, columns, strict=True)]
    room = sheet.width - INDENT
    while sum(least[i] for i in shown) + GAP * (len(shown) - 1) > room and len(shown) > 1:
        shown.remove(min(reversed(shown), key=lambda i: columns[i].keep))
    widths = list(wanted)
    excess = sum(widths[i] for i in shown) + GAP * (len(shown) - 1) - room
    for i in sorted(shown, key=lambda i: (columns[i].keep, -i)):
        if columns[i].flexible and excess > 0:
            taken = min(excess, widths[i] - least[i])
            widths[i] -= taken
            excess -= taken
    titles = Text(style=QUIET)
    lines = [titles]
    for line, row in [(titles, [Text(c.title) for c in columns]), *((Text(), row) for row in cells)]:
        line.append(" " * INDENT)
        for position, i in enumerate(shown):
            if position:
                line.append(" " * GAP)
            last = position == len(shown) - 1
            line.append_text(fitted(row[i], widths[i], columns[i], last))
        line.rstrip()
        if line is not titles:
            lines.append(line)
    return lines if any(columns[i].title for i in shown) else lines[1:]


def safe(cell: Cell) -> Text:
    if isinstance(cell, str):
        return Text(visible(cell, LONGEST_CELL))
    return cell if visible(cell.plain) == cell.plain else Text(visible(cell.plain), style=cell.style)


def fitted(cell: Text, width: int, column: Column, last: bool) -> Text:
    """`cell` in exactly `width` columns; what is too long loses its middle, or else what tells least."""
    excess = cell.cell_len - width
    if excess > 0:
        head = 0 if cell.plain.startswith("/") else max(1, (width - 1) // 3)  # of a path the end tells most
        head = width - 1 if column.begins else head
        text = cell.plain
        tail = text
        while cell_len(tail) > width - 1 - head:
            tail = tail[1:]
        cell = Text(set_cell_size(text, head) + ELLIPSIS + tail, style=cell.style)
    padding = " " * (width - cell.cell_len)
    if column.left:
        return cell.copy() if last else Text.assemble(cell, padding)
    return Text.assemble(padding, cell)
