"""From runs to rows: which figure is compared, and what follows from it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from clearway.base.older_python import UTC
from clearway.experiment.compared_figure import Seconds, basis_of, mean_of, measured, paired, seconds_by_round
from clearway.experiment.comparison import SCHEMA, Comparison, End, Row, Verdict
from clearway.experiment.interval import CONFIDENCE, geometric_mean, interval_of
from clearway.experiment.others import others_beside
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.same_work import why_not_compared
from clearway.experiment.sample import WARM_UP, Sample
from clearway.experiment.scaling import scalings_of
from clearway.experiment.verdict import verdict_of
from clearway.job.change import describe


def assemble(
    plan: Plan, samples: Sequence[Sample], directory: Path, commands: Mapping[str, Sequence[str]], end: End
) -> Comparison:
    """All that `samples` say. `commands`: what a person would type, by variant."""
    counted = [sample for sample in samples if sample.round != WARM_UP and sample.figures]
    basis = basis_of(counted)
    apart = {variant.name: why_not_compared(plan, variant, counted, basis) for variant in plan.variants}
    seconds = {name: {} if apart[name] else seconds_by_round(name, counted, basis) for name in apart}
    rows = tuple(
        _row(plan, variant, samples, seconds, commands[variant.name], apart[variant.name]) for variant in plan.variants
    )
    return Comparison(
        schema=SCHEMA,
        directory=str(directory),
        command=shlex.join(plan.command),
        testbed=plan.testbed,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        basis=basis,
        engine=next((sample.figures.engine for sample in counted if sample.figures and sample.figures.engine), None),
        confidence=CONFIDENCE,
        precision=plan.precision,
        rounds=max(row.rounds for row in rows),
        spent_s=sum(sample.spent_s for sample in samples),
        end=end,
        rows=rows,
        scalings=scalings_of(plan, rows, seconds),
        figure=plan.figure.words if plan.figure else "",
        same_work=plan.same_work,
        others=None if plan.testbed else others_beside(measured(counted)),
    )


def _row(
    plan: Plan, variant: Variant, samples: Sequence[Sample], seconds: Seconds, command: Sequence[str], apart: str
) -> Row:
    """`apart`: why it cannot be compared."""
    own = [sample for sample in samples if sample.variant == variant.name]
    counted = measured([sample for sample in own if sample.round != WARM_UP])
    fault = next((sample.fault for sample in reversed(own) if sample.fault), "")
    is_baseline = variant == plan.baseline
    ratios = [] if is_baseline else paired(seconds[variant.name], seconds[plan.baseline.name])
    interval = interval_of(ratios)
    verdict = Verdict.BASELINE if is_baseline else verdict_of(interval, plan.precision)
    if apart:
        verdict = Verdict.NOT_COMPARED
    ns_per_day = mean_of(counted, lambda figures: figures.ns_per_day)
    return Row(
        name=variant.name,
        changes=describe(variant.change),
        command=shlex.join(command),
        ranks=variant.change.ranks,
        launcher=variant.change.launcher,
        verdict=Verdict.FAILED if fault and not counted else verdict,
        rounds=len(counted),
        wall_s=mean_of(counted, lambda figures: figures.mpi_s or figures.wall_s),
        cpu_s=mean_of(counted, lambda figures: figures.cpu_s),
        s_per_step=mean_of(counted, lambda figures: figures.s_per_step),
        ns_per_day=ns_per_day,
        ratio=geometric_mean(ratios) if ratios else None,
        ratio_low=interval.low if interval else None,
        ratio_high=interval.high if interval else None,
        price_per_ns_day=plan.price / ns_per_day if plan.price and ns_per_day else None,
        runs=tuple(sample.run for sample in own if sample.round != WARM_UP and sample.figures),
        fault=fault,
        figure=mean_of(counted, lambda figures: figures.figure),
        not_compared=apart,
    )
