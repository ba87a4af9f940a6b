"""Shows how a comparison goes on: a bar on a terminal, a line a run elsewhere."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.experiment.comparison import Comparison, Row, Verdict
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.sample import WARM_UP, Sample


class Lines:
    """A line on stderr for each run that has ended."""

    def begins(self, variant: Variant, number: int) -> None:
        pass

    def ended(self, sample: Sample, comparison: Comparison) -> None:
        row = next(row for row in comparison.rows if row.name == sample.variant)
        told = sample.fault or f"{q.seconds(sample.spent_s)}{ratio_words(row)}"
        print(f"clearway: {round_words(sample.round)}, {visible(sample.variant)}: {visible(told)}", file=sys.stderr)


class Bar:
    """One line that is drawn anew; at its right what is known of the variant that ran last."""

    def __init__(self, plan: Plan, already: int = 0) -> None:
        """`already`: runs made before an interruption."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[told]}"),
        )
        self._progress = Progress(*columns, console=Console(stderr=True, markup=False), transient=True)
        rounds = plan.rounds + (1 if plan.warm_up else 0)
        self._task = self._progress.add_task("", total=rounds * len(plan.variants), completed=already, told="")

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def begins(self, variant: Variant, number: int) -> None:
        self._progress.update(self._task, description=f"{round_words(number)}: {visible(variant.name, 40)}")

    def ended(self, sample: Sample, comparison: Comparison) -> None:
        row = next(row for row in comparison.rows if row.name == sample.variant)
        told = visible(sample.fault or ratio_words(row).lstrip(", "), 60)
        self._progress.update(self._task, advance=1, told=told)


def round_words(number: int) -> str:
    return "warm-up" if number == WARM_UP else f"round {number}"


def ratio_words(row: Row) -> str:
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None or row.verdict is Verdict.BASELINE:
        return ""
    return f", ratio {row.ratio:.3f} ({row.ratio_low:.3f} – {row.ratio_high:.3f}), {row.verdict.value}"
