"""What has been measured: a line of JSON for each scenario, a file for each seed."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measured.circumstances import Circumstances

from grid.draw import Scenario

RESULTS = Path(__file__).resolve().parent / "results"
STALL_NS = 150_000_000  # the least timeout is 200 ms


@dataclass(frozen=True, slots=True)
class Calls:
    """What the calls of a job took, or of a simulation, and how often TCP timed out in all of them."""

    times_ns: tuple[int, ...]
    timeouts: int
    resent: int  # segments

    @property
    def median_ns(self) -> float:
        return statistics.median(self.times_ns)

    @property
    def mean_ns(self) -> float:
        return statistics.fmean(self.times_ns)

    @property
    def timeouts_a_call(self) -> float:
        return self.timeouts / len(self.times_ns)

    def stalled(self, wire_ns: float) -> float:
        """The share of calls that have waited for a timeout: pairs that take turns need twice the wire's time."""
        return sum(time > 2 * wire_ns + STALL_NS for time in self.times_ns) / len(self.times_ns)


@dataclass(frozen=True, slots=True)
class Result:
    """Of one scenario: two jobs, one after another, each on connections of its own."""

    scenario: Scenario
    circumstances: Circumstances
    jobs: tuple[Calls, ...] = ()
    failed: str = ""  # why it could not be measured
    unlimited: Calls | None = None  # a third job, on links without limits; None: it was measured before there was one

    @property
    def calls(self) -> Calls:
        """Of both jobs together."""
        return together(self.jobs)


def together(jobs: Sequence[Calls]) -> Calls:
    times = tuple(time for job in jobs for time in job.times_ns)
    return Calls(times, sum(job.timeouts for job in jobs), sum(job.resent for job in jobs))


def path_of(seed: int) -> Path:
    return RESULTS / f"seed-{seed}.jsonl"


def add(result: Result) -> None:
    path = path_of(result.scenario.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(dataclasses.asdict(result), separators=(",", ":")) + "\n")


def read(seed: int) -> Iterator[Result]:
    """A last line that was not finished is left out."""
    path = path_of(seed)
    for line in path.read_text().splitlines(keepends=True) if path.exists() else ():
        if line.endswith("\n"):
            yield result_of(json.loads(line))


def result_of(kept: dict[str, Any]) -> Result:
    jobs = tuple(map(calls_of, kept["jobs"]))
    unlimited = calls_of(kept["unlimited"]) if kept.get("unlimited") else None
    scenario, circumstances = Scenario(**kept["scenario"]), Circumstances(**kept["circumstances"])
    return Result(scenario, circumstances, jobs, kept["failed"], unlimited)


def calls_of(job: dict[str, Any]) -> Calls:
    return Calls(tuple(job["times_ns"]), job["timeouts"], job["resent"])
