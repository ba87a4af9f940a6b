"""What each piece gave. Each attempt at a task has a file of its own, so no two processes ever write to the same one.

A piece counts once: a task that was put back into the queue, and one that was thought lost and was not, may both end
it. The first that told counts.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.lines import append_line, whole_lines
from clearway.base.read_back import from_text

PREFIX = "results-"


@dataclass(frozen=True, slots=True)
class Result:
    piece: int
    attempt: str  # the array's job, the task's number, how often it was put back: "1234_3-r0"
    value: object  # as the kind of work has it


def attempt_here(environment: Mapping[str, str] = os.environ) -> str:
    """Of this process, as its batch system names it."""
    number = environment.get("SLURM_ARRAY_JOB_ID") or environment.get("SLURM_JOB_ID")
    if not number:
        return f"here-{time.time_ns()}"
    task = environment.get("SLURM_ARRAY_TASK_ID", "0")
    return f"{number}_{task}-r{environment.get('SLURM_RESTART_COUNT', '0')}"


def append(directory: Path, result: Result) -> None:
    path = directory / f"{PREFIX}{result.attempt}.jsonl"
    line = {"piece": result.piece, "attempt": result.attempt, "value": plain(result.value)}
    try:
        append_line(path, json.dumps(line))
    except OSError as error:
        raise ClearwayError(
            f"cannot write '{path}': {error.strerror}", "free some space, then continue with --resume"
        ) from None


def read(directory: Path) -> dict[int, Result]:
    """By piece. Raises ClearwayError."""
    found: dict[int, Result] = {}
    for result in _all(directory):
        found.setdefault(result.piece, result)
    return dict(sorted(found.items()))


def pieces(directory: Path) -> set[int]:
    """Those that are done. Each task asks: of ten thousand it need not keep what they gave. Raises ClearwayError."""
    return {result.piece for result in _all(directory)}


def _all(directory: Path) -> Iterator[Result]:
    for path in sorted(directory.glob(f"{PREFIX}*.jsonl"), key=_age):
        try:
            for line in whole_lines(path):
                yield from_text(Result, line)
        except OSError as error:
            raise ClearwayError(
                f"cannot read '{path}': {error.strerror}", "make it readable, then continue with --resume"
            ) from None
        except ValueError as error:
            raise ClearwayError(f"'{path}' is damaged: {error}", "move it away, then continue with --resume") from None


def _age(path: Path) -> list[int]:
    """Jobs that were submitted first come first; the same order for everybody, whatever clocks say."""
    return [int(number) for number in re.findall(r"\d+", path.name)]
