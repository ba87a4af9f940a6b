"""What a comparison leaves behind while it goes on: its plan, and a line for each run that has ended."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.output_file import whole_file
from clearway.base.read_back import from_text, parsed, read_back
from clearway.experiment.plan import Plan
from clearway.experiment.sample import Sample

PLAN = "plan.json"
RUNS = "runs.jsonl"
HINT = "the directory that `clearway compare` made and named"


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
    """Whole or not at all, as far as one write is; and there after a crash of the machine."""
    line = json.dumps(plain(sample)) + "\n"
    try:
        with (directory / RUNS).open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ClearwayError(f"cannot write '{directory / RUNS}': {error.strerror}", "make room and --resume") from None


def read_samples(directory: Path) -> list[Sample]:
    """The runs so far. A last line that was cut is taken away: its run will be made again. Raises ClearwayError."""
    path = directory / RUNS
    try:
        text = path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            path.write_text(whole, encoding="utf-8")
        return [from_text(Sample, line) for line in whole.splitlines()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ClearwayError(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:
        raise ClearwayError(
            f"'{path}' cannot be understood: {error}", "measure again, into another directory"
        ) from None
