"""Fig. 2: two time steps of GROMACS with AQP1 on three dual-CPU nodes, one of them with a delay."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from papers import notation
from papers.claim import Claim, exactly
from papers.point import Choice, Outcome, job, ready_model

WHERE = "Fig. 2"
STEPS = 12
DELAY_MS = 150  # a step that waits for a timeout of TCP is longer than others by more


def claims() -> list[Claim]:
    # A job of one step more does the same before: what it takes longer is that step.
    model = ready_model("procurve2848", 3, 2)
    jobs = tuple(job(model, ("gromacs33", "aqp1"), Choice("lam"), steps) for steps in range(1, STEPS + 1))
    return [
        Claim(WHERE, f"AQP1, LAM, 6 CPUs, 2 a node: {what}", *exactly(published), notation.milliseconds, jobs, figure,
              is_unseen=True)
        for what, published, figure in (
            ("a step without a delay", 180, without_delay_ms),
            ("a step with a delay", 420, with_delay_ms),
        )
    ]  # fmt: skip


def steps_ms(jobs: Sequence[Outcome]) -> list[float]:
    """All but the first, in which connections are young."""
    return [(after.median_ns - before.median_ns) * 1e-6 for before, after in pairwise(jobs)]


def without_delay_ms(jobs: Sequence[Outcome]) -> float:
    steps = steps_ms(jobs)
    return statistics.median(step for step in steps if step < min(steps) + DELAY_MS)


def with_delay_ms(jobs: Sequence[Outcome]) -> float:
    """Nothing where no step has one."""
    steps = steps_ms(jobs)
    delayed = [step for step in steps if step >= min(steps) + DELAY_MS]
    return statistics.median(delayed) if delayed else 0.0
