"""Do the work of one task of a job array: called by the job scripts that `--submit` writes.

clearway task DIR N     in a task of job array N of DIR: does its share of the work
clearway task DIR       after the array has ended: submits missing tasks again, or gathers the results

You need not type this: `--submit` of compare, fix, bench and predict writes job scripts that call it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from clearway.base.whole import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clearway.queue import Work


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="directory of the work")
    parser.add_argument("number", metavar="N", type=int, nargs="?", help="number of the job array in that directory")


def run(arguments: argparse.Namespace) -> int:
    import contextlib
    import os
    import sys

    from clearway.base.errors import ClearwayError
    from clearway.base.interruption import ended_by_signals, interrupt
    from clearway.queue import advance, work_through
    from clearway.queue.jobs import job_called
    from clearway.queue.watch import words_of

    directory = arguments.directory.absolute()
    with ended_by_signals(interrupt), contextlib.contextmanager(works)(directory) as work:
        if arguments.number is None:
            print(f"clearway: {words_of(advance(directory, work, by_a_person=False))}", file=sys.stderr)
            return 0
        tasks = job_called(directory, arguments.number).tasks
        told = os.environ.get("SLURM_ARRAY_TASK_ID", "")
        if not is_whole(told) or int(told) >= len(tasks):
            raise ClearwayError(
                f"'{told}' is not a task of array {arguments.number} in '{directory}'",
                "only the job script that --submit writes calls this",
            )
        work_through(directory, work, tasks[int(told)])
    return 0


def works(directory: Path) -> Iterator[Work]:
    """The work in a directory, by the command that it is of."""
    from clearway.base.errors import ClearwayError
    from clearway.queue import read_submission

    kind = read_submission(directory).kind
    if kind == "compare":
        from clearway.experiment.submitted import rounds_in

        with rounds_in(directory) as work:
            yield work
    elif kind == "fix":
        from clearway.experiment.fix_by_queue import fixes_in

        yield fixes_in(directory)
    elif kind == "bench":
        from clearway.bench.by_queue import sizes_in

        yield sizes_in(directory)
    elif kind == "predict":
        from clearway.predict.asked import options_read, predicted
        from clearway.predict.sweep.plan import read_plan
        from clearway.predict.sweep.work import Predictions

        yield Predictions(read_plan(directory), directory, options_read, predicted)
    else:
        raise ClearwayError(
            f"'{directory}' has work of the kind '{kind}', which this version of Clearway does not know",
            "use the version of Clearway that submitted it",
        )
