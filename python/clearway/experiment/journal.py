"""What a comparison leaves behind while it goes on: its plan, and a line for each run that has ended."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.lines import append_line, whole_lines
from clearway.base.output_file import whole_file
from clearway.base.read_back import from_text, parsed, read_back
from clearway.experiment.plan import Plan
from clearway.experiment.sample import Sample
from clearway.queue import results

PLAN = "plan.json"
RUNS = "runs.jsonl"
HINT = "give the directory that `clearway compare` printed"


def write_plan(directory: Path, plan: Plan, working_directory: Path | None = None) -> None:
    """`working_directory`: of the runs, if not ours."""
    where = str(working_directory or Path.cwd())
    with whole_file(directory / PLAN) as stream:
        json.dump({"working_directory": where, **dataclasses.asdict(plan)}, stream, indent=1)
        stream.write("\n")


def read_plan(directory: Path) -> tuple[Plan, Path]:
    """The plan, and the working directory of its runs. Raises ClearwayError."""
    try:
        tree = parsed((directory / PLAN).read_text(encoding="utf-8"))
        if not isinstance(tree, dict) or not isinstance(tree.get("working_directory"), str):
            raise ValueError("it names no working directory")
        working = Path(tree.pop("working_directory"))
        return read_back(Plan, tree), working
    except OSError as error:
        raise ClearwayError(f"cannot read '{directory / PLAN}': {error.strerror}", HINT) from None
    except ValueError as error:
        raise ClearwayError(f"'{directory / PLAN}' is not the plan of a comparison: {error}", HINT) from None


def append(directory: Path, sample: Sample) -> None:
    path = directory / RUNS
    try:
        append_line(path, json.dumps(plain(sample)))
    except OSError as error:
        raise ClearwayError(
            f"cannot write '{path}': {error.strerror}", "free some space, then continue with --resume"
        ) from None


def read_samples(directory: Path) -> list[Sample]:
    """The runs so far, also those of a job array's tasks. A last line that was cut is taken away: its run will be made
    again. Raises ClearwayError."""
    path = directory / RUNS
    try:
        lines = whole_lines(path)
        if path.exists() and path.stat().st_size != (size := sum(len(line.encode()) + 1 for line in lines)):
            os.truncate(path, size)
        return [from_text(Sample, line) for line in lines] + submitted_samples(directory)
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}': {error.strerror}", "make it readable, then continue with --resume"
        ) from None
    except ValueError as error:
        raise ClearwayError(f"'{path}' is damaged: {error}", "measure again, in another directory") from None


def submitted_samples(directory: Path) -> list[Sample]:
    """What tasks of a job array told: all runs of a round from one task, or none of them. Raises ValueError."""
    told = (result.value for result in results.read(directory).values())
    return [read_back(Sample, tree) for value in told if isinstance(value, list) for tree in value]
