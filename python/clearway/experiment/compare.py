"""The loop: rounds, until all is clear."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from clearway.experiment import journal
from clearway.experiment.assemble import assemble
from clearway.experiment.comparison import Comparison, End, Verdict
from clearway.experiment.order import first_round, given_up, runs_of
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.runner import Runner
from clearway.experiment.sample import Sample

Turn = tuple[int, Variant]  # round, and who runs in it
SETTLED = (Verdict.FASTER, Verdict.SLOWER, Verdict.SAME, Verdict.NOT_COMPARED)
PATIENCE = 10  # a run that takes so many times as long as the slowest of the baseline does not end
LEAST_PATIENCE_S = 60.0


class Watch(Protocol):
    """Is told how it goes on."""

    def begins(self, variant: Variant, number: int) -> None: ...

    def ended(self, sample: Sample, comparison: Comparison) -> None: ...


class Quiet:
    """Watches, and says nothing."""

    def begins(self, variant: Variant, number: int) -> None: ...

    def ended(self, sample: Sample, comparison: Comparison) -> None: ...


def compare(
    plan: Plan, runner: Runner, directory: Path, samples: Sequence[Sample] = (), watch: Watch | None = None
) -> Comparison:
    """Runs what is missing of `plan`, of which there are `samples` already, and says what came out.

    Ctrl-C ends it, too: what was measured is kept. Raises ClearwayError, before anything is run, for a variant that
    cannot be.
    """
    watch = watch or Quiet()
    commands = {variant.name: runner.command(variant) for variant in plan.variants}
    taken = list(samples)

    def so_far(end: End, before: int = plan.rounds + 1) -> Comparison:
        return assemble(plan, [sample for sample in taken if sample.round < before], directory, commands, end)

    try:
        for number, variant in _turns(plan, taken, lambda number: settled(so_far(End.ROUNDS, number))):
            if is_over_budget(plan, variant, taken):
                return so_far(End.BUDGET)
            watch.begins(variant, number)
            taken.append(sample_of(plan, runner, directory, taken, (number, variant)))
            journal.append(directory, taken[-1])
            watch.ended(taken[-1], so_far(End.ROUNDS))
    except KeyboardInterrupt:
        return so_far(End.INTERRUPTED)
    if plan.baseline.name in given_up(plan, taken):
        return so_far(End.BASELINE_FAILED)
    unclear = any(row.verdict is Verdict.UNCLEAR for row in so_far(End.CLEAR).rows)
    return so_far(End.ROUNDS if unclear else End.CLEAR)


def sample_of(
    plan: Plan, runner: Runner, directory: Path, taken: Sequence[Sample], turn: Turn, below: str = ""
) -> Sample:
    """Runs it once, in its place below `directory`."""
    number, variant = turn
    run = Path(f"round-{number}", below, folder_of(plan, variant))
    ran = runner.run(variant, directory / run, time_limit_s(plan, taken))
    return Sample(variant.name, number, str(run), ran.spent_s, ran.figures, ran.fault)


def settled(comparison: Comparison) -> set[str]:
    """Variants of which no more need be known."""
    return {row.name for row in comparison.rows if row.verdict in SETTLED}


def is_over_budget(plan: Plan, variant: Variant, samples: Sequence[Sample]) -> bool:
    """Whether another run of `variant` would take it beyond the budget, as long as it took last time."""
    last_s = next((sample.spent_s for sample in reversed(samples) if sample.variant == variant.name), 0.0)
    return plan.budget_s is not None and sum(sample.spent_s for sample in samples) + last_s > plan.budget_s


def time_limit_s(plan: Plan, samples: Sequence[Sample]) -> float | None:
    """Of the next run. Without one given, from what the baseline took: some MPIs hang when they end."""
    if plan.timeout_s is not None:
        return plan.timeout_s
    known = [sample.spent_s for sample in samples if sample.variant == plan.baseline.name and sample.figures]
    return max(LEAST_PATIENCE_S, PATIENCE * max(known)) if known else None


def folder_of(plan: Plan, variant: Variant) -> str:
    """A name for its Run directories: with a number, for what is left of two names may be the same."""
    plain = re.sub(r"[^A-Za-z0-9._+=-]+", "-", variant.name).strip("-.")[:48]
    return f"{plan.variants.index(variant)}-{plain}"


def _turns(plan: Plan, taken: Sequence[Sample], settled_before: Callable[[int], set[str]]) -> Iterator[Turn]:
    """Whose turn it is, round by round, until nothing is left that is unclear. `taken` grows meanwhile."""
    others = {variant.name for variant in plan.variants} - {plan.baseline.name}
    for number in range(first_round(plan), plan.rounds + 1):
        lost = given_up(plan, taken)
        over = settled_before(number)
        if plan.baseline.name in lost or others <= over | lost:
            return
        for variant in runs_of(plan, number, taken, over):
            yield number, variant
