"""A variant as a command line, where the job runs: here, or on a testbed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from clearway.base.errors import ClearwayError
from clearway.bench.on_testbed import Stage
from clearway.experiment.plan import Plan, Variant
from clearway.experiment.script_options import environment_of_script
from clearway.job.batch_script import BatchScript, all_extended
from clearway.job.change import Change, changed
from clearway.job.launcher_options import Grammar
from clearway.job.which_launcher import identify
from clearway.testbed import Testbed
from clearway.testbed.layout import HEAD
from clearway.testbed.mpis.find import MPI_NAMES, find_mpi


@dataclass(frozen=True, slots=True)
class Line:
    """What is run, before the change is put in."""

    command: tuple[str, ...]
    change: Change
    environment: Mapping[str, str]
    prefix: tuple[str, ...] = ()  # to get onto a testbed
    kill_rest: Callable[[], None] = lambda: None  # what a launcher that was killed has left behind
    of_launcher: Mapping[str, str] = field(default_factory=dict)  # environment that the change's launcher needs besides
    outside: tuple[str, ...] = ()  # on a testbed: what is typed to bring one up and run the job there

    @property
    def is_script(self) -> bool:
        """Whether its words are a script's, for a shell to read."""
        return False

    @property
    def whole_environment(self) -> dict[str, str]:
        return {**self.environment, **self.of_launcher}

    def typed(self) -> list[str]:
        """What a person types to run it; on a testbed for which there are no such words, what runs there."""
        if self.outside:
            with suppress(ClearwayError):
                return changed(self.outside, self.change, self.environment)
        return self.words()

    def asked(self) -> list[str]:
        """What a person types to have it run."""
        return self.typed()

    def words(self, recorder: Sequence[str] = ()) -> list[str]:
        """What is typed where it runs. Raises ClearwayError where the launcher has no such words."""
        return changed(self.command, self.change, self.environment, recorder, self._identify)

    def _identify(self, word: str, environment: Mapping[str, str]) -> Grammar | None:
        """Asks each launcher in its own environment: another MPI's libraries would break it."""
        own = self.of_launcher if word == self.change.launcher else {}
        return identify(word, {**environment, **own})


@dataclass(frozen=True, slots=True)
class ScriptLine(Line):
    """A batch script, whose line that launches the job is changed and recorded; the rest of it runs as it is."""

    script: BatchScript | None = None

    @property
    def is_script(self) -> bool:
        return True

    def typed(self) -> list[str]:
        assert self.script is not None
        return self.script.launch(self.change, self.environment, asked=self._identify)

    def asked(self) -> list[str]:
        assert self.script is not None
        asked = self.change.batch_options
        if self.change != Change(batch_options=asked):
            return self.typed()
        return ["sbatch", *all_extended(self.script.text, asked), self.script.name]

    def words(self, recorder: Sequence[str] = ()) -> list[str]:
        assert self.script is not None
        return self.script.to_run(self.change, self.environment, recorder, self._identify)


LineOf = Callable[[Variant], Line]


def lines_here(plan: Plan) -> LineOf:
    """Under the job's own launcher, or the variant's."""
    if plan.script:
        script = plan.batch_script()
        environment = environment_of_script(script, os.environ)
        return lambda variant: ScriptLine(script.words, variant.change, environment, script=script)

    def line_of(variant: Variant) -> Line:
        command = variant.command or plan.command
        launcher = variant.change.launcher
        if launcher not in MPI_NAMES:
            return Line(command, variant.change, dict(os.environ))
        mpi = find_mpi(launcher)
        change = replace(variant.change, launcher=str(mpi.launcher))
        return Line(command, change, dict(os.environ), of_launcher=mpi.environment)

    return line_of


def _options(plan: Plan, variant: Variant) -> list[str]:
    """Of the testbed; of several MPIs named the last counts."""
    return [*shlex.split(plan.testbed), *(("--mpi", variant.change.launcher) if variant.change.launcher else ())]


@contextmanager
def lines_on_testbed(plan: Plan, stage: Stage) -> Iterator[LineOf]:
    """On a testbed, which is up within the block. The job is a program without a launcher."""
    with Testbed(stage.shape) as testbed:
        prefix = tuple(testbed.on_host(HEAD, []))

        def line_of(variant: Variant) -> Line:
            mpi = find_mpi(variant.change.launcher) if variant.change.launcher else stage.mpi
            command = variant.command or plan.command
            words, environment = testbed.command(mpi, command)
            change = replace(variant.change, launcher=None)
            outside = ("clearway", "testbed", "run", *_options(plan, variant), "--", *command)
            return Line(tuple(words[len(prefix) :]), change, environment, prefix, testbed.kill_all, outside=outside)

        yield line_of
