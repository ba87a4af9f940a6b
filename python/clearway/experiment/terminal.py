"""A comparison as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, QUIET, Cell, Column, Sheet, heading, paragraph, table
from clearway.base.visible import visible
from clearway.experiment.comparison import Basis, Comparison, Row, Scaling, Verdict
from clearway.experiment.conclusions import best_of, closing_words

GAIN = "bold #009E73"
STYLES = {Verdict.FASTER: GAIN, Verdict.SLOWER: FLAG, Verdict.FAILED: FLAG}
COLUMNS = (
    Column("variant", left=True, flexible=24),
    Column("CPU time", keep=3),
    Column("wall-clock", keep=4),
    Column("a step", keep=3),
    Column("figure", keep=4),
    Column("ns/day", keep=4),
    Column("price per ns/day", keep=3),
    Column("ratio"),
    Column("95 % interval", keep=4),
    Column("", left=True),
    Column("rounds", keep=1),
)
SHORT = {Verdict.NOT_COMPARED: "other work?"}  # what is in a column of its own; the sentence below says it whole
MOST_SCALINGS = 12  # columns of ranks that fit


def table_of(comparison: Comparison, sheet: Sheet) -> list[Text]:
    lines = [
        heading(f"{q.plural(len(comparison.rows), 'way')} to run the job", q.instant(comparison.measured_at), sheet)
    ]
    lines += paragraph(Text(about(comparison), style=QUIET), sheet.width)
    lines += [Text(), *table(COLUMNS, map(cells, comparison.rows), sheet)]
    if comparison.scalings:
        lines += [Text(), *scaling_table(comparison.scalings, sheet)]
    lines.append(Text())
    for sentence in closing_words(comparison):
        lines += paragraph(Text(sentence), sheet.width)
    return lines + what_to_type(comparison)


def what_to_type(comparison: Comparison) -> list[Text]:
    """The command of the fastest, on a line of its own: to be copied."""
    best = best_of(comparison)
    return [] if best is None else [Text(), Text(visible(best.command))]


def about(comparison: Comparison) -> str:
    parts = [comparison.command]
    if comparison.testbed:
        parts.append(f"testbed {comparison.testbed}")
    if comparison.basis is not None:
        told_by = comparison.engine if comparison.basis in (Basis.DAY, Basis.STEP) else None
        what = f"'{comparison.figure}' as the job prints it" if comparison.figure else comparison.basis.value
        parts.append(f"by {what}" + (f" from {told_by}" if told_by else ""))
    return " · ".join(parts)


def cells(row: Row) -> list[Cell]:
    interval = "" if row.ratio_low is None or row.ratio_high is None else span(row.ratio_low, row.ratio_high)
    return [
        row.name,
        known(row.cpu_s),
        known(row.wall_s),
        known(row.s_per_step),
        "" if row.figure is None else q.three_digits(row.figure),
        "" if row.ns_per_day is None else q.three_digits(row.ns_per_day),
        "" if row.price_per_ns_day is None else q.three_digits(row.price_per_ns_day),
        "1" if row.verdict is Verdict.BASELINE else q.ratio(row.ratio),
        interval,
        Text(SHORT.get(row.verdict, row.verdict.value), style=STYLES.get(row.verdict, "")),
        str(row.rounds),
    ]


def known(seconds: float | None) -> str:
    return "" if seconds is None else q.seconds(seconds)


def span(low: float, high: float) -> str:
    return f"{low:.3f} – {high:.3f}" if high - low < 0.05 else f"{low:.2f} – {high:.2f}"


def scaling_table(scalings: tuple[Scaling, ...], sheet: Sheet) -> list[Text]:
    """Speedup, and below it what share of the ranks it makes use of; a column for each number of ranks."""
    counts = sorted({point.ranks for scaling in scalings for point in scaling.points})[:MOST_SCALINGS]
    columns = (Column("speedup (scaling)", left=True, flexible=16), *(Column(f"{count}") for count in counts))
    return table(columns, scaling_rows(scalings, counts), sheet)


def scaling_rows(scalings: tuple[Scaling, ...], counts: list[int]) -> Iterator[list[Cell]]:
    for scaling in scalings:
        points = {point.ranks: point for point in scaling.points}
        speedups = [points[count].speedup if count in points else None for count in counts]
        shares = [points[count].scaling if count in points else None for count in counts]
        yield [scaling.name, *(q.ratio(speedup) for speedup in speedups)]
        yield ["", *(Text("" if share is None else f"{100 * share:.0f} %", style=QUIET) for share in shares)]
