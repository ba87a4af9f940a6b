"""A fix as work for a job array: the job recorded first, in a task of its own; then rounds with and without the
remedies for what was found. What asks Slurm for another allocation is a job of its own in each round."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import write_json
from clearway.experiment.fixing import FIRST_RUN, Diagnosis, diagnosis_of, first_run, proof
from clearway.experiment.journal import read_plan, write_plan
from clearway.experiment.plan import Plan, checked
from clearway.experiment.rounds import Rounds
from clearway.experiment.runner import Runner
from clearway.experiment.variant_command import lines_here
from clearway.queue import asked_in, results

WISH = "fix.json"
FIRST = 0  # the piece that is the first run


@dataclasses.dataclass(frozen=True, slots=True)
class Wish:
    remedies: tuple[str, ...]  # only these; empty: all
    each: bool  # every remedy alone, too
    recorded: str = ""  # the Run to go by; empty: the first run here
    half: bool = False  # half of the ranks, too


@dataclasses.dataclass(frozen=True, slots=True)
class Fixes:
    """A kind of work (clearway.queue). Piece 0 is the first run; the others are rounds of its proof."""

    directory: Path
    wish: Wish

    def wanted(self) -> list[int]:
        rounds = self.rounds()
        first = [] if self.wish.recorded else [FIRST]
        return first if rounds is None else [*first, *rounds.wanted()]

    def do(self, piece: int, attempt: str) -> object:
        if piece != FIRST:
            rounds = self.rounds()
            assert rounds is not None
            return rounds.do(piece, attempt)
        plan, runner = self._plan()
        place = Path(FIRST_RUN, attempt)
        failed = first_run(runner, self.directory / place, plan.timeout_s)
        if failed and not plan.script:
            raise failed
        try:
            diagnosis = diagnosis_of(self.directory / place, self.wish.remedies, tells_work(plan), self.wish.half)
        except ClearwayError as error:  # it left no record
            raise failed or error from None
        if failed and not diagnosis.lets_it_end():
            raise failed
        self.plan_proof(diagnosis, ended_well=not failed)
        return str(place)

    def plan_proof(self, diagnosis: Diagnosis, ended_well: bool = True) -> None:
        """Rounds are wanted from now on, where there is something to try. Where the job fails, no time is compared."""
        plan, runner = self._plan()
        here = diagnosis.choices if ended_well else ()
        tried = [choice for choice in (*here, diagnosis.asked if plan.script else ()) if choice]
        if tried and not plan.variants:
            made = checked(proof(dataclasses.replace(plan, warm_up=ended_well), tried, self.wish.each))
            write_plan(self.directory, made, runner.working_directory)

    def options(self, piece: int) -> Sequence[str]:
        rounds = self.rounds()
        return rounds.options(piece) if piece != FIRST and rounds else ()

    def refused(self, piece: int, why: str) -> object:
        rounds = self.rounds()
        assert rounds is not None
        return rounds.refused(piece, why)

    def finish(self) -> None:
        if (rounds := self.rounds()) is not None:
            rounds.finish()

    def rounds(self) -> Rounds | None:
        """None as long as nothing is known that could be tried."""
        plan, runner = self._plan()
        return Rounds(plan, runner, self.directory) if plan.variants else None

    def diagnosis(self) -> Diagnosis | None:
        """None before the job was recorded."""
        if self.wish.recorded:
            run = Path(self.wish.recorded)
        else:
            first = results.read(self.directory).get(FIRST)
            if first is None:
                return None
            run = self.directory / str(first.value)
        return diagnosis_of(run, self.wish.remedies, tells_work(self._plan()[0]), self.wish.half)

    def plan(self) -> Plan:
        return self._plan()[0]

    def _plan(self) -> tuple[Plan, Runner]:
        plan, working_directory = read_plan(self.directory)
        return plan, Runner(lines_here(plan), working_directory, plan.fresh, plan.figure)


def tells_work(plan: Plan) -> bool:
    return plan.figure is not None or plan.same_work


def write_wish(directory: Path, wish: Wish) -> None:
    write_json(wish, directory / WISH)


def fixes_in(directory: Path) -> Fixes:
    """Raises ClearwayError where no fix was submitted from there."""
    return Fixes(directory, asked_in(Wish, directory / WISH, "fix"))
