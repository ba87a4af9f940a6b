"""The rounds of a comparison as tasks of a job array. A round is one task: its runs are compared with one another, so
they take turns on the same hosts, in one allocation."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from clearway.base.json import plain, write_json
from clearway.experiment.assemble import assemble
from clearway.experiment.compare import is_over_budget, sample_of, settled
from clearway.experiment.comparison import Comparison, End, Verdict
from clearway.experiment.journal import read_samples
from clearway.experiment.order import given_up, runs_of
from clearway.experiment.plan import Plan
from clearway.experiment.runner import Runner
from clearway.experiment.sample import WARM_UP, Sample

RESULT = "comparison.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Rounds:
    """A kind of work (clearway.queue). Its pieces are the plan's rounds, by number."""

    plan: Plan
    runner: Runner
    directory: Path

    def wanted(self) -> Sequence[int]:
        """All, until it is clear without the rest."""
        samples = read_samples(self.directory)
        measured = sorted({sample.round for sample in samples} - {WARM_UP})
        return measured if self._is_over(samples) else range(1, self.plan.rounds + 1)

    def do(self, piece: int, attempt: str) -> object:
        """All runs of the round, behind one of the unchanged job that does not count: these hosts' files are cold."""
        before = read_samples(self.directory)
        taken: list[Sample] = []
        if self.plan.warm_up:
            turn = (WARM_UP, self.plan.baseline)
            below = f"before-{piece}-{attempt}"
            taken.append(sample_of(self.plan, self.runner, self.directory, before, turn, below))
        over = self._over(before)
        for variant in runs_of(self.plan, piece, [*before, *taken], over):
            so_far = [*before, *taken]
            if not is_over_budget(self.plan, variant, so_far):
                taken.append(sample_of(self.plan, self.runner, self.directory, so_far, (piece, variant), attempt))
        return [plain(sample) for sample in taken]

    def finish(self) -> None:
        write_json(self.so_far(), self.directory / RESULT)

    def so_far(self) -> Comparison:
        samples = read_samples(self.directory)
        commands = {variant.name: self.runner.command(variant) for variant in self.plan.variants}
        comparison = assemble(self.plan, samples, self.directory, commands, End.ROUNDS)
        return dataclasses.replace(comparison, end=self._end(comparison, samples))

    def _end(self, comparison: Comparison, samples: Sequence[Sample]) -> End:
        if self.plan.baseline.name in given_up(self.plan, samples):
            return End.BASELINE_FAILED
        if not any(row.verdict is Verdict.UNCLEAR for row in comparison.rows):
            return End.CLEAR
        return End.BUDGET if is_over_budget(self.plan, self.plan.baseline, samples) else End.ROUNDS

    def _over(self, samples: Sequence[Sample]) -> set[str]:
        commands = {variant.name: () for variant in self.plan.variants}
        return settled(assemble(self.plan, samples, self.directory, commands, End.ROUNDS))

    def _is_over(self, samples: Sequence[Sample]) -> bool:
        others = {variant.name for variant in self.plan.variants} - {self.plan.baseline.name}
        lost = given_up(self.plan, samples)
        if self.plan.baseline.name in lost or others <= self._over(samples) | lost:
            return True
        return is_over_budget(self.plan, self.plan.baseline, samples)
