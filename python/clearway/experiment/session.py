"""A comparison as `clearway compare` and `clearway fix` run it: where, watched by whom, and what is shown of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

from clearway.base.console import open_console, print_lines, sheet_for
from clearway.base.json import write_json
from clearway.bench.on_testbed import stage_of
from clearway.experiment.compare import compare
from clearway.experiment.comparison import Comparison
from clearway.experiment.journal import RUNS, read_samples
from clearway.experiment.plan import Plan
from clearway.experiment.progress import Bar, Lines
from clearway.experiment.runner import Runner
from clearway.experiment.terminal import table_of
from clearway.experiment.variant_command import Line, LineOf, lines_here, lines_on_testbed
from clearway.job.can_start import check_can_start, check_runs_here
from clearway.job.recorded_command import find_programs
from clearway.job.run_directory import make_run_directory


@contextlib.contextmanager
def lines_of(plan: Plan) -> Iterator[LineOf]:
    """How the variants are started: here, or on the testbed, which is up within the block."""
    if not plan.testbed:
        yield lines_here(plan)
        return
    with lines_on_testbed(plan, stage_of(plan.testbed)) as line_of:
        yield line_of


def directory_for(what: str, line: Line, wanted: str | None) -> Path:
    """A new directory for Runs: `wanted`, or one named after the program."""
    job = find_programs(line.command, line.environment)
    check_runs_here(job)
    check_can_start(job, line.environment)
    directory = make_run_directory(wanted, f"{what}-{PurePath(job.program).name}")
    (directory / RUNS).touch()  # another one beside it, a task of the same array, is not to take it for the job's input
    return directory


def watched(plan: Plan, runner: Runner, directory: Path, quiet: bool) -> Comparison:
    samples = read_samples(directory)
    if quiet:
        return compare(plan, runner, directory, samples)
    if not sys.stderr.isatty():
        return compare(plan, runner, directory, samples, Lines())
    with Bar(plan, len(samples)) as bar:
        return compare(plan, runner, directory, samples, bar)


def show(comparison: Comparison, json: str | None, quiet: bool) -> None:
    """In the terminal, unless standard output is for the JSON."""
    if json != "-":
        console = open_console()
        print_lines(console, table_of(comparison, sheet_for(console)))
    if json:
        write_json(comparison, json)
    if not quiet:
        print(f"clearway: the Runs are in {comparison.directory}", file=sys.stderr)
