"""A recorded job beside itself with something otherwise, as a table for a terminal."""

from __future__ import annotations

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import QUIET, Column, Sheet, heading, paragraph, table
from clearway.base.visible import visible
from clearway.predict.what_if.answer import Answer

NEXT_TO_NOTHING = 0.001  # of the wall-clock: a line of it is left out
# Of the wall-clock: a foretold line below it is off by a third of itself and more (docs/what-if-benchmark.md).
KNOWN = 0.02
SHORT_S = 1.0  # a job below it is told in milliseconds
SAME = 0.005  # of the wall-clock: what is at best and what is certain are one figure then
ONE_ANSWER = (
    Column("seconds a rank", keep=9, left=True, flexible=24),
    Column("recorded", keep=9),
    Column("what if", keep=9),
    Column("change", keep=9),
)
TWO_ANSWERS = (*ONE_ANSWER[:2], Column("at best", keep=9), Column("for certain", keep=9))


def lines_of(made: Answer, sheet: Sheet) -> list[Text]:
    title = heading(f"What if: {', '.join(made.changes)}", visible(made.program), sheet)
    least_s = 0.0 if sheet.show_all else NEXT_TO_NOTHING * made.wall_s
    shown = [line for line in made.lines if max(line.recorded_s, line.what_if_s, line.sure_s) > least_s]
    two = any(abs(line.sure_s - line.what_if_s) > SAME * made.wall_s for line in shown)

    def row(words: str, recorded_s: float, at_best_s: float, sure_s: float, known_s: float) -> list[str]:
        def foretold(seconds: float) -> str:
            as_it_was = abs(seconds - recorded_s) < SAME * made.wall_s
            return figure(seconds, made) if as_it_was or seconds >= known_s else f"< {figure(known_s, made)}"

        last = foretold(sure_s) if two else signed(at_best_s - recorded_s, made)
        return [words, figure(recorded_s, made), foretold(at_best_s), last]

    known_s = KNOWN * made.wall_s
    rows = [row(line.words, line.recorded_s, line.what_if_s, line.sure_s, known_s) for line in shown]
    rows.append(row("wall-clock", made.wall_s, made.what_if_s, made.wall_s - made.least_gain_s, 0.0))
    notes = [Text()] if made.notes else []
    for note in made.notes:
        body = paragraph(Text(visible(note, 500)), sheet.width, indent=4)
        notes += [Text("  • ", style=QUIET).append_text(body[0][4:]), *body[1:]]
    return [
        title,
        Text(),
        *paragraph(Text(sentence(made)), sheet.width),
        Text(),
        *table(TWO_ANSWERS if two else ONE_ANSWER, rows, sheet),
        *notes,
    ]


def sentence(made: Answer) -> str:
    """The gain first; the smaller figure is said where the two differ."""
    part, least = (gain_s / made.wall_s if made.wall_s > 0 else 0.0 for gain_s in (made.gain_s, made.least_gain_s))
    differ = part - least >= SAME
    was, now, at_worst = (figure(s, made) for s in (made.wall_s, made.what_if_s, made.wall_s - made.least_gain_s))
    if abs(part) < SAME and not (differ and least < 0):
        return f"Nothing to gain: {was} of wall-clock would still be {now}."
    at_most = f"{was} of wall-clock would be {now} at best: {than_recorded(part)}"
    if not differ:
        return f"{at_most}."
    if abs(least) < SAME:
        return f"{at_most}. The record shows no gain for certain."
    if least < 0:
        return f"{at_most}. It may take {at_worst}: {than_recorded(least)}."
    return f"{at_most}. The record shows {q.percent(least)} for certain."


def than_recorded(gain: float) -> str:
    """A part of the recorded wall-clock."""
    return "as long as recorded" if abs(gain) < SAME else f"{q.percent(abs(gain))} {'less' if gain > 0 else 'more'}"


def figure(seconds: float, made: Answer) -> str:
    return f"{seconds * 1e3:,.0f} ms" if made.wall_s < SHORT_S else f"{seconds:,.2f} s"


def signed(seconds: float, made: Answer) -> str:
    text = figure(abs(seconds), made).rpartition(" ")[0]
    return text if not float(text.replace(",", "")) else f"{'+' if seconds > 0 else '-'}{text}"
