"""The answer for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, fitted, heading, paragraph, table
from clearway.base.visible import visible
from clearway.tune.answer import sentences
from clearway.tune.learned import Lesson
from clearway.tune.space import Tried
from clearway.tune.tuning import Row, Standing, Tuning

GAIN = "bold #009E73"
STYLES = {Standing.BEST: GAIN, Standing.THROWN_OUT: FLAG}
NAME_WIDTHS = range(28, 49)


def answer_lines(tuning: Tuning, sheet: Sheet) -> list[Text]:
    """One table, what it comes to, what was left alone, and the line for the job script."""
    run = "short run" if tuning.short else "run"
    title = f"{q.plural(len(tuning.rows), 'way')} to run the job, in {q.plural(tuning.runs, run)}"
    lines = [heading(title, q.instant(tuning.measured_at), sheet)]
    lines += paragraph(Text(_about(tuning), style=QUIET), sheet.width)
    lines += [Text(), *table(_columns(tuning), map(_cells, tuning.rows), sheet), Text()]
    for sentence in sentences(tuning):
        lines += paragraph(Text(visible(sentence)), sheet.width)
    if tuning.not_tried:
        lines += [Text(), Text("Not tried")]
        for left in tuning.not_tried:
            lines += paragraph(Text(visible(f"{left.knob}: {left.why}"), style=QUIET), sheet.width, indent=2)
    return [*lines, Text(), Text(visible(tuning.best_command))]


def would_try(shapes: Tried, settings: Tried, sheet: Sheet) -> list[Text]:
    """Of a dry run."""
    lines = [Text("Would be tried")]
    if not (*shapes.settings, *settings.settings):
        lines.append(Text("  nothing"))
    for setting in (*shapes.settings, *settings.settings):
        because = {**shapes.because, **settings.because}.get(setting.knob, "")
        told = f"{setting.name}: {because}; may change {setting.may_change.value}"
        lines += paragraph(Text(visible(told)), sheet.width, indent=2)
    if settings.doubted:
        lines += [Text(), Text("Would be tried last, once each")]
    for setting in settings.doubted:
        told = f"{setting.name}: {settings.because[setting.knob]}; may change {setting.may_change.value}"
        lines += paragraph(Text(visible(told)), sheet.width, indent=2)
    lines += [Text(), Text("Would not be tried")]
    for left in (*shapes.left_alone(), *settings.not_tried):
        lines += paragraph(Text(visible(f"{left.knob}: {left.why}"), style=QUIET), sheet.width, indent=2)
    return lines


def lesson_lines(lessons: Sequence[Lesson], file: str, sheet: Sheet) -> list[Text]:
    """What was learned, with the numbers by which it is forgotten."""
    if not lessons:
        return [Text("No results of earlier races yet: a race that proves something faster keeps it.")]
    columns = (Column("", left=True), Column("engine", left=True), Column("size"), Column("hosts × cores"),
               Column("faster", left=True, flexible=28), Column("speed"), Column("learned", keep=2),
               Column("job", left=True, flexible=20, keep=1))  # fmt: skip
    rows: list[list[Cell]] = [
        [str(number), one.kind.engine, "" if one.kind.size is None else f"{one.kind.size:g}",
         f"{one.kind.hosts} × {one.kind.cores}" + (" (testbed)" if one.kind.testbed else ""),
         ", ".join(one.settings), q.ratio(one.speed), one.learned_at[:10], one.command]
        for number, one in enumerate(lessons, 1)
    ]  # fmt: skip
    return [*table(columns, rows, sheet), Text(), Text(visible(f"kept in {file}"), style=QUIET)]


def _about(tuning: Tuning) -> str:
    parts = [tuning.command]
    if tuning.testbed:
        parts.append(f"testbed {tuning.testbed}")
    if tuning.short:
        parts.append(f"shortened by {tuning.short}")
    if tuning.basis is not None:
        parts.append(f"by {tuning.basis.value}" + (f" from {tuning.engine}" if tuning.engine else ""))
    parts.append(f"{q.seconds(tuning.spent_s)} in all")
    return " · ".join(parts)


def _columns(tuning: Tuning) -> tuple[Column, ...]:
    return (
        Column("variant", left=True, flexible=_narrowest([row.name for row in tuning.rows])),
        Column("cores", keep=2),
        Column("ns/day", keep=4),
        Column("a step", keep=3),
        Column("speed"),
        Column("95 % interval", keep=4),
        Column(f"core-hours for {tuning.core_hours_for}", keep=4),
        Column("", left=True),
        Column("runs", keep=1),
    )


def _narrowest(names: Sequence[str]) -> int:
    """Columns in which names that lose their middle are still told apart."""
    column = Column("", left=True)
    for width in NAME_WIDTHS:
        if len({fitted(Text(name), width, column, last=False).plain for name in names}) == len(names):
            return width
    return NAME_WIDTHS[-1]


def _cells(row: Row) -> list[Cell]:
    known = row.speed_low is not None and row.speed_high is not None
    return [
        row.name,
        f"{row.ranks} × {row.threads}" if row.copies == 1 else f"{row.copies} × {row.ranks} × {row.threads}",
        "" if row.ns_per_day is None else q.three_digits(row.ns_per_day),
        "" if row.ns_per_day is not None or row.s_per_step is None else q.seconds(row.s_per_step),
        "1" if row.standing is Standing.UNCHANGED else "" if row.speed is None else q.ratio(row.speed),
        f"{row.speed_low:.2f} – {row.speed_high:.2f}" if known else "",
        "" if row.core_hours is None else q.three_digits(row.core_hours),
        Text(row.standing.value, style=STYLES.get(row.standing, "")),
        str(row.runs),
    ]
