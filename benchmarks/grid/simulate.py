"""What `clearway predict alltoall --testbed` says of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.units import parse_buffer, parse_rate_bps
from clearway.predict.collectives.on_testbed import request_on_testbed
from clearway.predict.collectives.request import Request
from clearway.predict.pool import ask_all
from clearway.testbed import Shape
from grid.draw import Scenario
from grid.results import Calls, Result, together

CALLS = 25
SEEDS = (1, 2)  # as many as jobs are measured
# What processors do takes so many times as long as on the Intel Xeon on which its costs were measured: 29 third jobs of
# seed 707503 there and here, in the median.
SLOWNESS = {"AMD EPYC": 1.4}


def simulate(results: Sequence[Result]) -> list[Calls]:
    """In their order, each on the processor on which it was measured."""
    requests = [
        (result.scenario, request_for(result.scenario, seed, SLOWNESS.get(result.circumstances.processor, 1.0)))
        for result in results
        for seed in SEEDS
    ]
    questions = [request.arguments(scenario.algorithm, scenario.block_bytes) for scenario, request in requests]
    answers = zip(requests, ask_all(questions, None, lambda *_: None), strict=True)
    jobs = [calls_of(answer["calls"][request.untimed_calls :]) for (_, request), answer in answers]
    return [together(jobs[first : first + len(SEEDS)]) for first in range(0, len(jobs), len(SEEDS))]


def request_for(scenario: Scenario, seed: int, slowness: float = 1.0) -> Request:
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
