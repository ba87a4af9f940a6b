"""docs/reproduce.md: what all papers published, and what was predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clearway.reproduce import words
from clearway.reproduce.claim import Paper, Verdict

INTRODUCTION = """\
# Old figures, predicted: `clearway reproduce`

`clearway reproduce NAME` simulates what a paper measured, on a model of the paper's own cluster
([clusters.md](clusters.md)), and holds each published figure against the simulated one:

```sh
clearway reproduce list
clearway reproduce kutzner-2007
clearway reproduce all --markdown FILE     # this page
```

Some figures decided the parameters of a model: these are *fitted*, and say nothing about the simulator. All others are
*predicted*, with the same parameters, or *computed* without a simulation. A figure that was published as a range or a
bound deviates by 0 % within it. What is off by more than 15 % is listed with the reason, as far as it is known.

Results are kept and found again ([simulator.md](simulator.md)); the first time all of it takes minutes.
"""


def document(papers: Sequence[tuple[Paper, Sequence[Verdict]]]) -> str:
    lines = [INTRODUCTION, *(line for paper, verdicts in papers for line in section(paper, verdicts))]
    return "\n".join(lines).rstrip() + "\n"


def section(paper: Paper, verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield from (f"## {paper.title}", "", f"`{paper.name}`: {paper.reference}", "", f"{words.summary(verdicts)}.", "")
    yield "| where | what | published | simulated | deviation | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from (row(verdict) for verdict in verdicts)
    yield from items("Parameters:", paper.parameters)
    yield from items("Not within 15 %:", [words.why(verdict) for verdict in verdicts if not verdict.is_close])
    yield from items("Not covered:", paper.left_out)
    yield from items("Drawn by:", paper.drawn)
    yield ""


def row(verdict: Verdict) -> str:
    claim = verdict.claim
    cells = (
        claim.where,
        claim.what,
        words.published(claim),
        claim.words(verdict.predicted),
        words.deviation(verdict),
        f"fitted: {claim.fitted}" if claim.fitted else words.kind(verdict),
    )
    return f"| {' | '.join(cells)} |"


def items(title: str, told: Sequence[str]) -> list[str]:
    return ["", title, "", *(f"- {each}" for each in told)] if told else []
