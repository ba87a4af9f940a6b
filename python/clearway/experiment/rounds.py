"""The rounds of a comparison as tasks of a job array. A round is one task: its runs are compared with one another, so
they take turns on the same hosts, in one allocation. Variants that need another allocation have a task of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from clearway.base.json import plain, write_json
from clearway.experiment.assemble import assemble
from clearway.experiment.compare import is_over_budget, sample_of, settled
from clearway.experiment.comparison import Comparison, End, Verdict
from clearway.experiment.journal import read_samples
from clearway.experiment.order import FAULTS_UNTIL_GIVEN_UP, allocations_of, given_up, runs_of, turn_at, turn_of
from clearway.experiment.plan import Plan
from clearway.experiment.runner import Runner
from clearway.experiment.sample import WARM_UP, Sample
from clearway.experiment.script_options import asked_besides
from clearway.queue import results

RESULT = "comparison.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Rounds:
    """A kind of work (clearway.queue). Its pieces are the plan's rounds, by number; with variants that need another
    allocation, the parts of them (`turn_of`)."""

    plan: Plan
    runner: Runner
    directory: Path

    def wanted(self) -> Sequence[int]:
        """All, until it is clear without the rest."""
        samples = read_samples(self.directory)
        if not self._is_over(samples):
            return range(1, self.plan.rounds * len(allocations_of(self.plan)) + 1)
        return sorted({turn_at(self.plan, one.round, one.variant) for one in samples if one.round != WARM_UP})

    def do(self, piece: int, attempt: str) -> object:
        """All its runs, behind one of their first that does not count: these hosts' files are cold."""
        before = read_samples(self.directory)
        number, allocation = turn_of(self.plan, piece)
        own = [variant for variant in self.plan.variants if variant.change.batch_options == allocation]
        taken: list[Sample] = []
        if self.plan.warm_up:
            turn = (WARM_UP, own[0])
            below = f"before-{piece}-{attempt}"
            taken.append(sample_of(self.plan, self.runner, self.directory, before, turn, below))
        over = self._over(before)
        for variant in runs_of(self.plan, number, [*before, *taken], over):
            so_far = [*before, *taken]
            if variant in own and not is_over_budget(self.plan, variant, so_far):
                taken.append(sample_of(self.plan, self.runner, self.directory, so_far, (number, variant), attempt))
        return [plain(sample) for sample in taken]

    def options(self, piece: int) -> Sequence[str]:
        return asked_besides(self.plan, turn_of(self.plan, piece)[1])

    def refused(self, piece: int, why: str) -> object:
        """As a run that failed, of each of its variants."""
        number, allocation = turn_of(self.plan, piece)
        own = [variant for variant in self.plan.variants if variant.change.batch_options == allocation]
        return [plain(Sample(variant.name, number, "", 0.0, None, f"did not run: {why}")) for variant in own]

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
        if is_over_budget(self.plan, self.plan.baseline, samples):
            return End.BUDGET
        return End.ROUNDS if results.pieces(self.directory).issuperset(self.wanted()) else End.UNDER_WAY

    def _over(self, samples: Sequence[Sample]) -> set[str]:
        commands = {variant.name: () for variant in self.plan.variants}
        return settled(assemble(self.plan, samples, self.directory, commands, End.ROUNDS))

    def _is_over(self, samples: Sequence[Sample]) -> bool:
        others = {variant.name for variant in self.plan.variants} - {self.plan.baseline.name}
        lost = given_up(self.plan, samples)
        if others <= self._over(samples) | lost:
            return True
        if self.plan.baseline.name in lost:
            return all(name in lost or _runs(samples, name) >= FAULTS_UNTIL_GIVEN_UP for name in self._elsewhere())
        return is_over_budget(self.plan, self.plan.baseline, samples)

    def _elsewhere(self) -> list[str]:
        """Variants in other allocations: where the unchanged job fails, they may do better."""
        return [variant.name for variant in self.plan.variants if variant.change.batch_options]


def _runs(samples: Sequence[Sample], name: str) -> int:
    return sum(sample.variant == name and sample.round != WARM_UP for sample in samples)
