"""Runs that are really made: each in a copy of the working directory, recorded, judged, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from clearway.engines.kept_log import kept_log
from clearway.engines.results import Results, results_of
from clearway.experiment import journal
from clearway.experiment.compared_figure import SECONDS
from clearway.experiment.comparison import Basis, End
from clearway.experiment.plan import Variant
from clearway.experiment.runner import Ran, Runner, run_together
from clearway.experiment.sample import WARM_UP, Sample
from clearway.job.change import UNCHANGED
from clearway.tune.knobs import Short
from clearway.tune.physics import why_other_physics
from clearway.tune.reached import why_not_reached
from clearway.tune.rounds import StopRaceError
from clearway.tune.setting import Way, copies_of, name_of
from clearway.tune.side_by_side import as_one, cores_here, on_cores, parts
from clearway.tune.task import Task
from clearway.tune.variants import Variants, slug

FIRST_RUN = "first-run"
PATIENCE = 3  # a variant that takes so many times as long as the unchanged job has lost anyway
LEAST_PATIENCE_S = 30.0
FIRST_PATIENCE = 10  # of the unchanged job, whose short run may be longer than the first one was


class Watch(Protocol):
    """Is told how it goes on."""

    def begins(self, short: Short, timeout_s: float | None) -> None: ...

    def simulates(self) -> None: ...

    def ended(self, sample: Sample, seconds: float | None, unchanged: float | None) -> None: ...


class Quiet:
    """Watches, and says nothing."""

    def begins(self, short: Short, timeout_s: float | None) -> None: ...

    def simulates(self) -> None: ...

    def ended(self, sample: Sample, seconds: float | None, unchanged: float | None) -> None: ...


@dataclass
class Track:
    """Where the race is run. What was run before an interruption is not run again."""

    task: Task
    runner: Runner
    directory: Path
    variants: Variants
    samples: list[Sample]
    watch: Watch
    short: Short = field(default_factory=Short)
    basis: Basis | None = None  # what is compared; known after the first run
    results: dict[str, Results | None] = field(default_factory=dict)  # by Run

    def first_run(self) -> Sample:
        """The unchanged job, short: it is diagnosed, and does not count."""
        known = [sample for sample in self.samples if sample.round == WARM_UP and sample.figures]
        if known:
            return known[0]
        self.watch.begins(self.short, self.task.timeout_s)
        return self._run((), WARM_UP, FIRST_RUN, self.task.timeout_s)

    def run(self, way: Way, number: int) -> float | None:
        """Seconds for the same work; None where it failed. Raises StopRaceError."""
        sample = self._known(way, number)
        if sample is None:
            if self._is_over_budget(name_of(way)):
                raise StopRaceError(End.BUDGET)
            try:
                sample = self._run(way, number, f"round-{number}/{slug(way)}", self._time_limit_s(way))
            except KeyboardInterrupt:
                raise StopRaceError(End.INTERRUPTED) from None
        return self.seconds(sample)

    def seconds(self, sample: Sample) -> float | None:
        """What is compared."""
        return SECONDS[self.basis](sample.figures) if self.basis and sample.figures else None

    def fault_of(self, name: str) -> str:
        """Why a variant was thrown out; empty for one that was not."""
        return next((sample.fault for sample in reversed(self.samples) if sample.variant == name and sample.fault), "")

    def of(self, name: str) -> list[Sample]:
        """Runs of a variant that ended well, in the order of rounds."""
        return [one for one in self.samples if one.variant == name and one.round != WARM_UP and one.figures]

    @property
    def checks_energies(self) -> bool:
        return any(results and results.energies for results in self._references())

    @property
    def spent_s(self) -> float:
        return sum(sample.spent_s for sample in self.samples)

    def _run(self, way: Way, number: int, run: str, timeout_s: float | None) -> Sample:
        variant = self.variants.short(way, self.short)
        runs = [run] if copies_of(way) == 1 else [f"{run}/{copy}" for copy in range(1, copies_of(way) + 1)]
        ran = self._ran(variant, runs, timeout_s)
        faults = (self._fault(variant, ran, each, is_first=number == WARM_UP) for each in runs)
        fault, run = ran.fault or next(filter(None, faults), ""), runs[0]
        sample = Sample(variant.name, number, run, ran.spent_s, None if fault else ran.figures, fault)
        self.samples.append(sample)
        journal.append(self.directory, sample)
        unchanged = [self.seconds(one) for one in self.of(UNCHANGED)]
        self.watch.ended(sample, self.seconds(sample), unchanged[-1] if unchanged else None)
        return sample

    def _ran(self, variant: Variant, runs: Sequence[str], timeout_s: float | None) -> Ran:
        """Once, or several times side by side, each on cores of its own."""
        if len(runs) == 1:
            return self.runner.run(variant, self.directory / runs[0], timeout_s)
        placed = [replace(self.runner, line_of=on_cores(self.runner.line_of, part))
                  for part in parts(cores_here(), len(runs))]  # fmt: skip
        jobs = zip(placed, [self.directory / run for run in runs], strict=True)
        return as_one(run_together(list(jobs), variant, timeout_s))

    def _fault(self, variant: Variant, ran: Ran, run: str, is_first: bool) -> str:
        if is_first or ran.figures is None:
            return ""
        if self.basis and not SECONDS[self.basis](ran.figures):
            return f"has no {self.basis.value} in its log"
        if variant.name == UNCHANGED:
            return ""
        not_reached = why_not_reached(self.directory / run, variant.change.program_options)
        if not_reached:
            return not_reached
        return why_other_physics(self._results(run), [one for one in self._references() if one])

    def _references(self) -> Sequence[Results | None]:
        own = [sample for sample in self.samples if sample.variant == UNCHANGED and sample.figures]
        return [self._results(sample.run) for sample in own]

    def _results(self, run: str) -> Results | None:
        if run not in self.results:
            self.results[run] = results_of(kept_log(self.directory / run))
        return self.results[run]

    def _known(self, way: Way, number: int) -> Sample | None:
        name = name_of(way)
        return next((one for one in self.samples if (one.variant, one.round) == (name, number)), None)

    def _is_over_budget(self, name: str) -> bool:
        """Whether another run would take it beyond the budget, as long as that took last time, or the unchanged job."""
        budget_s = self.task.budget_s
        for wanted in (name, UNCHANGED):
            last_s = next((one.spent_s for one in reversed(self.samples) if one.variant == wanted), None)
            if last_s is not None:
                return budget_s is not None and self.spent_s + last_s > budget_s
        return False

    def _time_limit_s(self, way: Way) -> float | None:
        if self.task.timeout_s is not None:
            return self.task.timeout_s
        raced_s = [sample.spent_s for sample in self.of(UNCHANGED)]
        if raced_s and name_of(way) != UNCHANGED:
            return max(LEAST_PATIENCE_S, PATIENCE * max(raced_s))
        before_s = max((one.spent_s for one in self.samples if one.variant == UNCHANGED), default=0.0)
        return max(2 * LEAST_PATIENCE_S, FIRST_PATIENCE * (before_s + self.task.run_s))
