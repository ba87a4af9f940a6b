"""What a job would take on other numbers of ranks, as tables for a terminal."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import QUIET, Cell, Column, Sheet, heading, paragraph, table
from clearway.base.visible import visible
from clearway.predict.scaling.answer import Answer, Counted, Figure, SiteLaw
from clearway.predict.scaling.sentence import between

NEXT_TO_NOTHING = 0.001  # of the wall-clock: a line of it is left out
MOST_SITES = 8
LONGEST_TEXT = 600
WALLS = (
    Column("ranks", keep=9),
    Column("wall-clock", keep=9),
    Column("within", keep=8),
    Column("efficiency", keep=7),
    Column("if constant", keep=4),
    Column("if 1/p", keep=4),
    Column("if Amdahl", keep=4),
    Column("", keep=6, left=True, flexible=16),
)


def lines_of(made: Answer, sheet: Sheet) -> list[Text]:
    sections = (headline(made, sheet), walls(made, sheet), ledger(made, sheet), sites(made, sheet), notes(made, sheet))
    lines: list[Text] = []
    for section in sections:
        lines += ([Text()] if lines and section else []) + section
    return lines


def headline(made: Answer, sheet: Sheet) -> list[Text]:
    title = heading("Scaling", visible(made.program), sheet)
    assumed = Text(f"Assumed: {made.scaling} scaling, because {made.why}.", style=QUIET)
    return [
        title,
        Text(),
        *paragraph(Text(visible(made.sentence, LONGEST_TEXT)), sheet.width),
        *paragraph(assumed, sheet.width),
    ]


def walls(made: Answer, sheet: Sheet) -> list[Text]:
    recorded: list[list[Cell]] = [
        [q.count(run.ranks), q.seconds(run.wall_s / run.work), "", "", "", "", "", f"recorded, {run.directory}"]
        for run in made.runs
    ]
    rows: list[list[Cell]] = [
        [
            q.count(target.ranks),
            q.seconds(target.wall.expected) if target.wall.expected is not None else "",
            between(target.wall),
            q.percent(target.efficiency) if target.efficiency is not None else "",
            q.seconds(target.constant_s),
            q.seconds(target.perfect_s),
            q.seconds(target.amdahl_s) if target.amdahl_s is not None else "",
            "expected" if target.wall.expected is not None else "bounds only",
        ]
        for target in made.targets
    ]
    return [heading("Wall-clock", how_sure(made), sheet), *table(WALLS, [*recorded, *rows], sheet)]


def how_sure(made: Answer) -> str:
    """What the bounds mean: from two numbers of ranks they are no more than what simple laws say."""
    if any(target.wall.expected is None for target in made.targets):
        return "bounds: between the simplest laws"
    return f"bounds should hold in {q.whole_percent(made.chance, 1.0)} of cases"


def ledger(made: Answer, sheet: Sheet) -> list[Text]:
    longest = max(max(line.recorded) for line in made.lines)
    shown = [line for line in made.lines if sheet.show_all or max(line.recorded) > NEXT_TO_NOTHING * longest]
    ranks = [run.ranks for run in made.runs]
    columns = (
        Column("seconds a rank, on", keep=9, left=True, flexible=24),
        *(Column(q.count(number), keep=4 + number // max(ranks)) for number in ranks),
        *(Column(f"{q.count(target.ranks)}", keep=7 + (target is made.targets[-1])) for target in made.targets),
        Column("likeliest law", keep=3, left=True, flexible=20),
    )
    rows: list[list[Cell]] = [
        [line.words, *map(q.seconds, line.recorded), *map(figure, line.at), law(line.law, line.sureness)]
        for line in shown
    ]
    fitted = "of rank-seconds" if made.scaling == "strong" else "of seconds a rank"
    return [heading("Where the wall-clock goes", f"laws {fitted}", sheet), *table(columns, rows, sheet)]


def law(words: str, sureness: float | None) -> str:
    return "" if sureness is None else f"{words} ({q.whole_percent(sureness, 1.0)})"


def figure(one: Figure) -> str:
    if one.expected is None:
        return between(one)
    return f"{q.seconds(one.expected)} ({between(one)})"


def sites(made: Answer, sheet: Sheet) -> list[Text]:
    if not made.sites:
        return []
    last = made.targets[-1]
    columns = (
        Column("", keep=9, left=True, flexible=24),
        Column("calls", keep=6, left=True, flexible=12),
        Column("bytes", keep=6, left=True, flexible=12),
        Column(f"seconds a rank on {q.count(last.ranks)}", keep=9),
    )
    shown = sheet.cut(made.sites, MOST_SITES)
    rows: list[list[Cell]] = [
        [name(site), counted(site.calls), counted(site.bytes), figure(site.at_s[-1])] for site in made.sites[:shown]
    ]
    return [heading("MPI calls", "calls and bytes: laws of all ranks together", sheet), *table(columns, rows, sheet)]


def name(site: SiteLaw) -> str:
    return f"{site.function}, {site.on}" if site.on else site.function


def counted(one: Counted) -> str:
    """The law, and what it lacks."""
    if not one.exact:
        return "no exact law"
    return f"{one.law}{' or others' if one.rivals else ''}"


def notes(made: Answer, sheet: Sheet) -> list[Text]:
    if not made.notes:
        return []
    lines = [heading("Notes", "", sheet)]
    for note in made.notes:
        body = paragraph(Text(visible(note, LONGEST_TEXT)), sheet.width, indent=4)
        lines += [Text("  • ", style=QUIET).append_text(body[0][4:]), *body[1:]]
    return lines
