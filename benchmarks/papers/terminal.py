"""A paper's figures and ours, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from clearway.base.sheet import FLAG, Cell, Column, Sheet, heading, paragraph, table
from papers import notation
from papers.claim import Paper, Verdict

COLUMNS = (
    Column("what", left=True, flexible=40),
    Column("published"),
    Column("ours"),
    Column("deviation"),
    Column("seeds"),
    Column("", left=True, keep=3),
)


def table_of(paper: Paper, verdicts: Sequence[Verdict], sheet: Sheet) -> list[Text]:
    off = [verdict for verdict in verdicts if not verdict.is_close and verdict.claim.reason]
    return [
        heading(f"{paper.name}: {paper.title}", notation.summary(verdicts), sheet),
        *paragraph(Text(paper.reference, style="dim"), sheet.width),
        Text(),
        *table(COLUMNS, [cells(verdict) for verdict in verdicts], sheet),
        Text(),
        *(line for told in nulls(verdicts) for line in paragraph(Text(told), sheet.width)),
        *(line for each in paper.parameters for line in paragraph(Text(f"- {each}", style="dim"), sheet.width)),
        *(line for each in off for line in paragraph(Text(notation.why(each)), sheet.width)),
    ]


def cells(verdict: Verdict) -> list[Cell]:
    claim = verdict.claim
    deviation = notation.deviation(verdict)
    return [
        claim.what,
        notation.published(claim),
        claim.words(verdict.counted),
        deviation if verdict.is_close else Text(deviation, style=FLAG),
        notation.seeds(verdict),
        notation.told_kind(claim).partition(":")[0],
    ]


def nulls(verdicts: Sequence[Verdict]) -> list[str]:
    """What those get right who model no network."""
    return [
        f"of the {spoken} that “{name}” speaks of: {hits} within 15 %, the simulator {ours}"
        for name, spoken, hits, ours in notation.null_models(verdicts)
    ]
