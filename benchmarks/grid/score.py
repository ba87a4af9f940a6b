"""How near a prediction is to what was measured, and what else would have been as near."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.ethernet import SHARE_OF_SHAPED
from grid.draw import Scenario
from grid.results import Calls, Result

CLOSE = 0.15
TIMEOUTS_FACTOR = 1.5
FEW_TIMEOUTS = 0.1  # a call: where both have fewer they agree
STALLED_APART = 0.15  # of the calls
PROCESSOR_SHARE = 0.5  # of the wire's time: takes a call more without limits, the processor decides, not the network


@dataclass(frozen=True, slots=True)
class Verdict:
    median: float
    """Simulated by measured."""
    mean: float
    stalled_apart: float
    timeouts_agree: bool

    @property
    def median_close(self) -> bool:
        return is_close(self.median)

    @property
    def mean_close(self) -> bool:
        return is_close(self.mean)

    @property
    def stalled_close(self) -> bool:
        return self.stalled_apart <= STALLED_APART


def judge(scenario: Scenario, real: Calls, model: Calls) -> Verdict:
    wire_ns = wire_time_ns(scenario)
    return Verdict(
        model.median_ns / real.median_ns,
        model.mean_ns / real.mean_ns,
        abs(model.stalled(wire_ns) - real.stalled(wire_ns)),
        timeouts_agree(real.timeouts_a_call, model.timeouts_a_call),
    )


def is_close(ratio: float) -> bool:
    return abs(ratio - 1) <= CLOSE


def timeouts_agree(real: float, model: float) -> bool:
    if max(real, model) < FEW_TIMEOUTS:
        return True
    return min(real, model) > 0 and max(real, model) / min(real, model) <= TIMEOUTS_FACTOR


def wire_time_ns(scenario: Scenario) -> float:
    """That a call needs at least, by the bytes that go through a card."""
    return scenario.bytes_through_a_card * 8e3 / (scenario.rate_mbit * SHARE_OF_SHAPED)


def null_calls(scenario: Scenario) -> Calls:
    """Who models no network says: as long as the wire needs, and the latency once. Nothing is lost."""
    return Calls((round(wire_time_ns(scenario) + scenario.latency_us * 1e3),), 0, 0)


def second_job(result: Result) -> Verdict:
    """The second job by the first: nobody can foretell better than they agree."""
    first, second = result.jobs
    return judge(result.scenario, first, second)


def is_for_processor(result: Result) -> bool | None:
    """Whether the cores that all hosts share decide what a call takes: by a job on links without limits, and not by
    those that are predicted. None where there was no such job.
    """
    if result.unlimited is None:
        return None
    return result.unlimited.median_ns > PROCESSOR_SHARE * null_calls(result.scenario).median_ns
