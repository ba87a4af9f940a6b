"""docs/reproduce.md: what all papers published, and what was predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from papers import notation
from papers.claim import Kind, Paper, Verdict
from papers.run import SEEDS, Trial

INTRODUCTION = f"""\
# Published figures and predictions

`tools/papers NAME` simulates what a paper measured, on a model of the paper's own cluster
([clusters.md](clusters.md)), and compares each published figure with the simulated one:

```sh
tools/papers list
tools/papers kutzner-2007
tools/papers all --markdown FILE     # this page
```

The last column says how much a row proves. Only predicted numbers test the simulator, and there are two kinds. An
*unseen* number was taken from the paper's text before it had ever been simulated, so the model cannot have been fitted
to it. It is predicted once, and that answer stays in the table, even if the model changes later
(`benchmarks/papers/first_answers.json`). A *seen* number determined no parameter, but the developers of the model knew
it while they worked. A *bound* is a range, a limit or "nothing lost", which is much easier to meet. A *fitted* figure
determined a parameter of the model. *Not counted* are figures that follow from other rows, or that were not measured.
*Computed* is arithmetic without a simulation.

Every figure is the median over {len(SEEDS)} random seeds of the simulator; the column *seeds* has the smallest and the
largest if they differ. *Null models* are simple predictions that do not model Ethernet: figures that they also predict
are no evidence for the simulator. *Assumptions* are parameters that the paper does not give; each is varied, one at a
time.

Results are cached ([simulator.md](simulator.md)); the first time the complete calculation takes many minutes.
"""


@dataclass(frozen=True, slots=True)
class Judged:
    paper: Paper
    verdicts: Sequence[Verdict]
    trials: Sequence[Trial] = ()


def document(judged: Sequence[Judged]) -> str:
    lines = [INTRODUCTION, *overview(judged), *(line for each in judged for line in section(each))]
    return "\n".join(lines).rstrip() + "\n"


def overview(judged: Sequence[Judged]) -> Iterator[str]:
    every = [verdict for each in judged for verdict in each.verdicts]
    yield from ("## In short", "", f"**{notation.summary(every)}.**")
    for name, spoken, hits, ours in notation.null_models(every):
        yield f"The null model “{name}” predicts {spoken} of these numbers: {hits} within 15 %, the simulator {ours}."
    yield ""
    yield from (f"- `{each.paper.name}`: {notation.summary(each.verdicts)}" for each in judged)
    yield ""


def section(judged: Judged) -> Iterator[str]:
    paper, verdicts = judged.paper, judged.verdicts
    yield from (f"## {paper.title}", "", f"`{paper.name}`: {paper.reference}", "", f"{notation.summary(verdicts)}.", "")
    yield "| where | what | published | simulated | deviation | seeds | |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    yield from (row(verdict) for verdict in verdicts)
    yield from nulls(verdicts)
    yield from assumptions(judged.trials)
    yield from items("Parameters:", paper.parameters)
    yield from items("Not within 15 %:", [notation.why(each) for each in verdicts if is_off(each)])
    yield from items("Not covered:", paper.left_out)
    yield from items("Drawn by:", paper.drawn)
    yield ""


def is_off(verdict: Verdict) -> bool:
    return not verdict.is_close and verdict.claim.kind is not Kind.UNCOUNTED


def row(verdict: Verdict) -> str:
    claim = verdict.claim
    cells = (
        claim.where,
        claim.what,
        notation.published(claim),
        claim.words(verdict.counted),
        notation.deviation(verdict),
        notation.seeds(verdict),
        notation.told_kind(claim) + notation.today(verdict),
    )
    return f"| {' | '.join(cells)} |"


def nulls(verdicts: Sequence[Verdict]) -> Iterator[str]:
    models = notation.null_models(verdicts)
    if models:
        yield from (
            "",
            "| null model | numbers it predicts | within 15 % | the simulator |",
            "| --- | --- | --- | --- |",
        )
        yield from (f"| {name} | {spoken} | {hits} | {ours} |" for name, spoken, hits, ours in models)


def assumptions(trials: Sequence[Trial]) -> Iterator[str]:
    if trials:
        yield from ("", "| assumption | value | numbers within 15 % | |", "| --- | --- | --- | --- |")
    for trial in trials:
        assumption = trial.assumption
        taken = next(each for each in trials if each.assumption is assumption)
        yield (
            f"| {assumption.what} | {assumption.words(trial.value)}{' (used)' if trial is taken else ''} "
            f"| {notation.close(trial.verdicts)} of {len(trial.verdicts)} | {what_moves(trial, taken)} |"
        )


MOST_NAMED = 3


def what_moves(trial: Trial, taken: Trial) -> str:
    """The figures that an assumption moves most, by a twentieth at least."""
    pairs = [
        (abs(other.predicted / one.predicted - 1), other)
        for one, other in zip(taken.verdicts, trial.verdicts, strict=True)
        if one.predicted
    ]
    moved = sorted((pair for pair in pairs if pair[0] >= 0.05), key=lambda pair: -pair[0])
    named = [f"{each.claim.what}: {each.claim.words(each.predicted)}" for _, each in moved[:MOST_NAMED]]
    further = [f"and {len(moved) - MOST_NAMED} more change"] if len(moved) > MOST_NAMED else []
    return "; ".join(named + further)


def items(title: str, told: Sequence[str]) -> list[str]:
    return ["", title, "", *(f"- {each}" for each in told)] if told else []
