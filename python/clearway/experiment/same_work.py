"""Whether two ways to run a job did the same work, so that the time tells which is faster.

An engine tells its progress, and so may a figure that the user names. Of another program only the time is known, and
that compares runs of the same program with the same options on as many ranks, and no others: a program that computes
so much a rank ends sooner on fewer ranks because it did less.
"""

from __future__ import annotations

from collections.abc import Sequence

from clearway.experiment.compared_figure import mean_of, measured
from clearway.experiment.comparison import Basis
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.sample import Figures, Sample
from clearway.job.change import Change

WHAT_TO_DO = (
    "Name a figure of progress that the job prints (--figure 'rate: # steps/s'), or pass --same-work if all of them do "
    "the same work."
)
TELLS_PROGRESS = (Basis.FIGURE, Basis.DAY, Basis.STEP)
FEWEST_CALLS = 20  # of a rank: below, they are those of starting and ending
SAME_CALLS = 0.1  # collective calls of a rank, relative: an iteration more or less is still the same work


def may_change_work(change: Change) -> str:
    """By what a change may also change how much the job does, in a word or two; empty where it cannot."""
    if change.ranks is not None:
        return "number of ranks"
    return "program's options" if change.program_options else ""


def why_not_compared(plan: Plan, variant: Variant, samples: Sequence[Sample], basis: Basis | None) -> str:
    """Why the times of `variant` and of the baseline cannot be compared; empty where they can."""
    if variant == plan.baseline or plan.same_work or basis is None:
        return ""
    mine, its = _figures(variant, samples), _figures(plan.baseline, samples)
    if not mine or not its:
        return ""  # one of them has not run yet, or never ends well
    same_ranks = _ranks(mine, variant) == _ranks(its, plan.baseline)
    same_options = variant.change.program_options == plan.baseline.change.program_options
    return other_work(mine, its, basis, same_ranks, same_options)


def other_work(
    mine: Sequence[Figures], its: Sequence[Figures], basis: Basis, same_ranks: bool, same_options: bool
) -> str:
    """Why the figures of two groups of runs cannot be compared; empty where they can."""
    if basis in TELLS_PROGRESS:
        return _other_steps(mine, its) if basis is Basis.STEP else ""
    if not same_ranks:
        return "the work may have changed with the number of ranks"
    if not same_options:
        return "the work may have changed with the program's options"
    return _other_calls(mine, its)


def _figures(variant: Variant, samples: Sequence[Sample]) -> list[Figures]:
    return measured([sample for sample in samples if sample.variant == variant.name])


def _ranks(figures: Sequence[Figures], variant: Variant) -> int | None:
    """As recorded; as asked for where the ranks do not know of each other, or left no record."""
    counts = {one.ranks for one in figures if one.ranks is not None and one.ranks > 1}
    if len(counts) == 1:
        return counts.pop()
    return variant.change.ranks


def _other_steps(mine: Sequence[Figures], its: Sequence[Figures]) -> str:
    engines = {one.engine for one in (*mine, *its)}
    return "" if len(engines) < 2 else f"a step of {' is not one of '.join(sorted(map(str, engines)))}"


def _other_calls(mine: Sequence[Figures], its: Sequence[Figures]) -> str:
    """A job that runs for a given time, or until it is content, may do more or less of the same."""
    now, before = _calls(mine), _calls(its)
    if now is None or before is None or max(now, before) < FEWEST_CALLS:
        return ""
    if abs(now - before) <= SAME_CALLS * max(now, before):
        return ""
    return f"it did not do the same work: {now:,.0f} collective calls per rank, {before:,.0f} before"


def _calls(figures: Sequence[Figures]) -> float | None:
    return mean_of(figures, lambda one: one.collectives)
