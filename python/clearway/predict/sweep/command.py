"""From the options of `clearway predict` to a sweep: here, or submitted; begun, or gone on with."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clearway.base.console import open_console, print_lines, sheet_for
from clearway.base.errors import ClearwayError
from clearway.base.json import write_json
from clearway.job.run_directory import make_run_directory
from clearway.predict.progress import SweepProgress
from clearway.predict.sweep.outcome import SweepOutcome, table_of, write_csv
from clearway.predict.sweep.plan import Parse, plan_of, read_plan, write_plan
from clearway.predict.sweep.work import Predict, Predictions
from clearway.queue import advance, is_submitted, submit, work_through, write_submission
from clearway.queue.watch import follow, tell


def sweep(arguments: argparse.Namespace, parse: Parse, predict: Predict) -> int:
    """Raises ClearwayError. Exit code 1 where some could not be made."""
    for name in ("plot", "html", "run"):
        if getattr(arguments, name):
            raise ClearwayError(f"--{name} is only for one prediction, not for a sweep", "--json FILE, --csv FILE")
    if arguments.resume:
        outcome = gone_on(Path(arguments.resume).absolute(), arguments, parse, predict)
    elif arguments.submit is not None:
        outcome = begun(arguments, parse, predict)
    else:
        with place_for(arguments) as directory:
            write_plan(directory, plan_of(arguments, parse))
            outcome = made_here(directory, arguments, parse, predict)
    write(outcome, arguments)
    return 1 if any(one.fault for one in outcome.predictions) else 0


def begun(arguments: argparse.Namespace, parse: Parse, predict: Predict) -> SweepOutcome:
    plan = plan_of(arguments, parse)
    submission = submit(arguments.submit, "predict", arguments.at_once, arguments.tasks)
    directory = make_run_directory(arguments.output, "predict")
    write_plan(directory, plan)
    write_submission(directory, submission)
    return gone_on(directory, arguments, parse, predict)


def gone_on(directory: Path, arguments: argparse.Namespace, parse: Parse, predict: Predict) -> SweepOutcome:
    if not is_submitted(directory):
        return made_here(directory, arguments, parse, predict)
    work = Predictions(read_plan(directory), directory, parse, predict)
    standing = advance(directory, work, by_a_person=True)
    if arguments.watch and not standing.is_complete:
        standing = follow(directory, work)
    tell(standing, directory, "predict")
    return work.so_far()


def made_here(directory: Path, arguments: argparse.Namespace, parse: Parse, predict: Predict) -> SweepOutcome:
    work = Predictions(read_plan(directory), directory, parse, predict)
    with SweepProgress(work.plan.count, arguments.quiet) as progress:

        def told(piece: int) -> None:
            progress.done(", ".join(f"{name} {value}" for name, value in work.plan.settings(piece).items()), "done")

        work_through(directory, work, work.wanted(), told)
    return work.so_far()


@contextmanager
def place_for(arguments: argparse.Namespace) -> Iterator[Path]:
    """With -o what was made is kept, and --resume goes on with it."""
    if arguments.output:
        yield make_run_directory(arguments.output, "predict")
        return
    with tempfile.TemporaryDirectory(prefix="clearway-predict-") as folder:
        yield Path(folder)


def write(outcome: SweepOutcome, arguments: argparse.Namespace) -> None:
    faults = sum(1 for one in outcome.predictions if one.fault)
    if "-" not in (arguments.json, arguments.csv):
        console = open_console()
        print_lines(console, table_of(outcome, sheet_for(console)))
    elif faults:
        print(f"clearway: {faults} predictions failed; --json says why", file=sys.stderr)
    if arguments.json:
        write_json(outcome, arguments.json)
    if arguments.csv:
        write_csv(outcome, arguments.csv)
