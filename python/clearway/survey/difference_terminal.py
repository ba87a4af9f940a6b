"""A difference as tables for a terminal: sentence, Runs, where the seconds went apart, what was set differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, heading, more, paragraph, table
from clearway.base.visible import visible
from clearway.survey.changes import Change
from clearway.survey.difference import Difference, Part, Side
from clearway.survey.listing_terminal import ranks_on_hosts

LONGEST_TEXT = 1200
LONGEST_VALUE = 200
NEXT_TO_NOTHING = 0.001  # of the longer wall-clock: a row of it is left out
RUNS = (
    Column("", keep=9, left=True),
    Column("Run", keep=9, left=True, flexible=16),
    Column("program", keep=4, left=True, flexible=12),
    Column("ranks", keep=5),
    Column("wall-clock", keep=7),
    Column("speed", keep=6),
    Column("loss", keep=6),
    Column("verdict", keep=3, left=True, flexible=24, begins=True),
)
PARTS = (
    Column("", keep=9, left=True, flexible=30),
    Column("A", keep=9),
    Column("B", keep=9),
    Column("B - A", keep=9),
    Column("95 % interval", keep=5),
    Column("of the difference", keep=4),
)
CHANGES = (
    Column("", keep=5, left=True, flexible=16),
    Column("", keep=9, left=True, flexible=24),
    Column("A", keep=9, left=True, flexible=16),
    Column("B", keep=9, left=True, flexible=16),
    Column("", keep=4, left=True),
)
FINDINGS = (Column("", keep=9, left=True, flexible=40, begins=True), Column("A", keep=9), Column("B", keep=9))


def lines_of(made: Difference, sheet: Sheet) -> list[Text]:
    sections = (
        headline(made, sheet),
        runs(made, sheet),
        *parts(made, sheet),
        changes(made, sheet),
        findings(made, sheet),
    )
    lines: list[Text] = []
    for section in (*sections, notes(made, sheet)):
        lines += ([Text()] if lines and section else []) + section
    return lines


def headline(made: Difference, sheet: Sheet) -> list[Text]:
    note = f"by {made.basis}" if made.basis is not None and not made.not_compared else ""
    title = heading("A and B", note, sheet)
    return [title, Text(), *paragraph(Text(visible(made.sentence, LONGEST_TEXT)), sheet.width)]


def runs(made: Difference, sheet: Sheet) -> list[Text]:
    rows = [cells for side in (made.a, made.b) for cells in run_rows(side, sheet)]
    return [heading("Runs", "", sheet), *table(RUNS, rows, sheet)]


def run_rows(side: Side, sheet: Sheet) -> Iterator[list[Cell]]:
    shown = sheet.cut(side.runs)
    for row in side.runs[:shown]:
        speed = q.speed(row.ns_per_day, row.s_per_step)
        loss = "" if row.loss is None else q.percent(row.loss)
        verdict = f"{row.ended}: {row.verdict}" if row.ended else row.verdict
        yield [side.name, row.directory, row.program, ranks_on_hosts(row), q.seconds(row.wall_s), speed, loss, verdict]
    if shown < len(side.runs):
        yield [side.name, Text(f"… and {len(side.runs) - shown} more (--all shows them)", style=QUIET), *[""] * 6]


def parts(made: Difference, sheet: Sheet) -> Iterator[list[Text]]:
    least_s = 0.0 if sheet.show_all else NEXT_TO_NOTHING * max(made.a.ledger.wall_s, made.b.ledger.wall_s)
    note = "seconds per rank; each wait with the reason of the rank waited for"
    yield [heading("Where the seconds differ", note, sheet), *part_table(made.causes, least_s, sheet)]
    yield named("MPI calls", made.calls, least_s, sheet)
    yield named("Computing by function", made.functions, least_s, sheet)
    if made.hosts:
        title = heading(f"By host: {made.hosts[0].label}", "what its own ranks had of it, divided by all ranks", sheet)
        shown = sheet.cut(made.hosts)
        first = sorted(made.hosts, key=lambda part: -abs(part.more_s))[:shown]
        hidden = more(len(made.hosts) - shown, "hosts", sheet)
        yield [title, *table(PARTS, (part_cells(part, part.key) for part in first), sheet), *hidden]


def named(title: str, all_parts: Sequence[Part], least_s: float, sheet: Sheet) -> list[Text]:
    shown = [part for part in all_parts if max(part.a_s, part.b_s) > least_s]
    if not shown:
        return []
    note = "seconds per rank, largest difference first"
    return [heading(title, note, sheet), *part_table(shown, 0.0, sheet)]


def part_table(shown: Sequence[Part], least_s: float, sheet: Sheet) -> list[Text]:
    kept = [part for part in shown if max(abs(part.a_s), abs(part.b_s)) > least_s]
    return table(PARTS, (part_cells(part, part.label) for part in kept), sheet)


def part_cells(part: Part, label: str) -> list[Cell]:
    within = "" if part.low_s is None or part.high_s is None else f"{signed(part.low_s)} to {signed(part.high_s)}"
    share = "" if part.share is None else q.whole_percent(part.share, 1.0)
    return [label, figure(part.a_s), figure(part.b_s), signed(part.more_s), within, share]


def figure(seconds: float) -> str:
    return f"{seconds:,.2f} s"


def signed(seconds: float) -> str:
    rounded = round(seconds, 2)
    return f"{'+' if rounded > 0 else '-' if rounded < 0 else ''}{abs(rounded):,.2f}"


def changes(made: Difference, sheet: Sheet) -> list[Text]:
    title = heading("What was set differently", "of all recorded settings", sheet)
    if not made.changes:
        return [title, Text("  nothing", style=QUIET)]
    shown = sheet.cut(made.changes, 20)
    rows = [change_cells(change) for change in made.changes[:shown]]
    return [title, *table(CHANGES, rows, sheet), *more(len(made.changes) - shown, "settings", sheet)]


def change_cells(change: Change) -> list[Cell]:
    a, b = (visible(" or ".join(values), LONGEST_VALUE) for values in (change.a, change.b))
    mark = "" if change.between else "varies within a group"
    return [Text(change.kind, style=QUIET), change.name, a, b, Text(mark, style=QUIET)]


def findings(made: Difference, sheet: Sheet) -> list[Text]:
    if not made.findings:
        return []
    rows = [[one.title, costs(one.a, one.a_runs), costs(one.b, one.b_runs)] for one in made.findings]
    return [heading("Findings", "share of the wall-clock that each costs", sheet), *table(FINDINGS, rows, sheet)]


def costs(share: float, runs: int) -> Cell:
    return Text(q.percent(share), style=FLAG) if runs else ""


def notes(made: Difference, sheet: Sheet) -> list[Text]:
    if not made.notes:
        return []
    lines = [heading("Notes", "", sheet)]
    for note in made.notes:
        body = paragraph(Text(visible(note, 500)), sheet.width, indent=4)
        lines += [Text("  • ", style=QUIET).append_text(body[0][4:]), *body[1:]]
    return lines
