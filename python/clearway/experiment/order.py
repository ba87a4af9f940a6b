"""Who runs when. A machine drifts, and what ran before leaves its traces: so variants take turns, in a new order each
round."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

from clearway.experiment.plan import Plan, Variant
from clearway.experiment.sample import WARM_UP, Sample

FAULTS_UNTIL_GIVEN_UP = 2


def order_of(plan: Plan, number: int) -> list[Variant]:
    """The variants of round `number`, shuffled. The same for the same seed: an interrupted round is gone on with.

    The baseline begins: from it we learn how long a run may take.
    """
    order = list(plan.variants)
    Random(f"{plan.seed} {number}").shuffle(order)
    if number == first_round(plan):
        order.sort(key=lambda variant: variant != plan.baseline)
    return order


def first_round(plan: Plan) -> int:
    return WARM_UP if plan.warm_up else WARM_UP + 1


def allocations_of(plan: Plan) -> list[tuple[str, ...]]:
    """What the variants ask of the batch system besides the job's own options. The baseline's, nothing, is first."""
    return list(dict.fromkeys(variant.change.batch_options for variant in plan.variants))


def turn_of(plan: Plan, turn: int) -> tuple[int, tuple[str, ...]]:
    """The round, and in which allocation: each has its turn once a round, in every other round backwards."""
    allocations = allocations_of(plan)
    number, at = divmod(turn - 1, len(allocations))
    return number + 1, allocations[at if number % 2 == 0 else -1 - at]


def turn_at(plan: Plan, number: int, variant: str) -> int:
    """When that variant runs in round `number`."""
    allocations = allocations_of(plan)
    own = next(each.change.batch_options for each in plan.variants if each.name == variant)
    turns = range((number - 1) * len(allocations) + 1, number * len(allocations) + 1)
    return next(turn for turn in turns if turn_of(plan, turn)[1] == own)


def given_up(plan: Plan, samples: Sequence[Sample]) -> set[str]:
    """Variants that failed and failed again, and never ended well."""
    faults = {variant.name: 0 for variant in plan.variants}
    for sample in samples:
        faults[sample.variant] += 1 if sample.fault else -len(samples)
    return {name for name, count in faults.items() if count >= FAULTS_UNTIL_GIVEN_UP}


def runs_of(plan: Plan, number: int, samples: Sequence[Sample], settled: Collection[str]) -> list[Variant]:
    """What is still to run in round `number`. The baseline runs as long as anything is compared with it."""
    over = {*settled, *given_up(plan, samples)} - {plan.baseline.name}
    over |= {sample.variant for sample in samples if sample.round == number}
    return [variant for variant in order_of(plan, number) if variant.name not in over]
