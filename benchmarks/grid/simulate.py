"""What `clearway predict alltoall --testbed` says of a scenario, on a processor as slow as where it was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from clearway.base.units import parse_buffer, parse_rate_bps
from clearway.predict.collectives.on_testbed import request_on_testbed
from clearway.predict.collectives.request import Request
from clearway.predict.pool import ask_all
from clearway.testbed import Shape
from grid.draw import Scenario
from grid.results import Calls, Result, together

CALLS = 25
SEEDS = (1, 2)  # as many as jobs are measured
# For seeds without third jobs: they were measured on an Intel Xeon, as the model's costs were.
AS_FAST = 1.0
STEPS = 3  # towards the slowness: costs and times are not quite in proportion


def simulate(results: Sequence[Result]) -> list[Calls]:
    """In their order, each on a processor as slow as its seed's."""
    slow = {
        seed: slowness_of([result for result in results if result.scenario.seed == seed])
        for seed in {result.scenario.seed for result in results}
    }
    return simulate_on([result.scenario for result in results], [slow[result.scenario.seed] for result in results])


def slowness_of(results: Sequence[Result]) -> float:
    """How many times as long the processor takes for all it does as the one whose costs the model has.

    It follows from the jobs on links without limits alone: their medians are as long, in the middle, as simulated.
    """
    known = [(result.scenario.unlimited, result.unlimited.median_ns) for result in results if result.unlimited]
    found = AS_FAST
    for _ in range(STEPS if known else 0):
        models = simulate_on([scenario for scenario, _ in known], [found] * len(known))
        found *= math.exp(
            median(math.log(real_ns / model.median_ns) for (_, real_ns), model in zip(known, models, strict=True))
        )
    return found


def simulate_on(scenarios: Sequence[Scenario], slow: Sequence[float]) -> list[Calls]:
    requests = [
        (scenario, request_for(scenario, seed, each))
        for scenario, each in zip(scenarios, slow, strict=True)
        for seed in SEEDS
    ]
    questions = [request.arguments(scenario.algorithm, scenario.block_bytes) for scenario, request in requests]
    answers = zip(requests, ask_all(questions, None, lambda *_: None), strict=True)
    jobs = [calls_of(answer["calls"][request.untimed_calls :]) for (_, request), answer in answers]
    return [together(jobs[first : first + len(SEEDS)]) for first in range(0, len(jobs), len(SEEDS))]


def request_for(scenario: Scenario, seed: int, slowness: float = AS_FAST) -> Request:
    shape = Shape(
        hosts=scenario.hosts,
        per_host=scenario.per_host,
        rate_bps=parse_rate_bps(f"{scenario.rate_mbit}mbit"),
        buffer_bytes=None if scenario.buffer_kb is None else parse_buffer(f"{scenario.buffer_kb}k"),
        latency_us=scenario.latency_us,
    )
    return request_on_testbed("alltoall", shape, scenario.mpi, CALLS, seed, slowness)


def calls_of(told: Sequence[dict[str, int]]) -> Calls:
    return Calls(
        tuple(call["duration_ns"] for call in told),
        sum(call["timeouts"] for call in told),
        sum(call["resent"] for call in told),
    )
