"""A comparison whose rounds are tasks of a job array: begun, gone on with, shown."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from clearway.experiment.comparison import Comparison
from clearway.experiment.journal import read_plan, write_plan
from clearway.experiment.plan import Plan
from clearway.experiment.rounds import Rounds
from clearway.experiment.runner import Runner
from clearway.experiment.variant_command import lines_here
from clearway.queue import Submission, advance, write_submission
from clearway.queue.watch import follow, tell


@contextlib.contextmanager
def rounds_in(directory: Path) -> Iterator[Rounds]:
    """Raises ClearwayError where no comparison was submitted from there."""
    plan, working_directory = read_plan(directory)
    runner = Runner(lines_here(plan), working_directory, plan.fresh, plan.figure)
    yield Rounds(plan, runner, directory)


def begin(plan: Plan, submission: Submission, directory: Path, watches: bool) -> Comparison:
    """Submits all rounds. Raises ClearwayError, and leaves nothing behind that could be taken for a comparison."""
    write_plan(directory, plan)
    write_submission(directory, submission)
    return go_on(directory, watches)


def go_on(directory: Path, watches: bool) -> Comparison:
    """What there is, with whatever is missing submitted. Comes from a person."""
    with rounds_in(directory) as work:
        standing = advance(directory, work, by_a_person=True)
        if watches and not standing.is_complete:
            standing = follow(directory, work)
        tell(standing, directory, "compare")
        return work.so_far()
