"""Which jobs were submitted, and for which pieces: a file for each, that only one process can make.

The file comes first and the job after it: two who find the same pieces missing at the same moment do not both submit.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.base.errors import ClearwayError, reason
from clearway.base.json import plain
from clearway.base.output_file import whole_file
from clearway.base.read_back import from_text

FOLDER = "jobs"
NOBODY_CAME_S = 120.0  # a file without a job for so long was left by a process that died between the two


@dataclass(frozen=True, slots=True)
class Job:
    number: int  # of this file: 1, 2 …
    tasks: tuple[tuple[int, ...], ...]  # pieces, by the array's number of the task
    arrays: tuple[int, ...] = ()  # Slurm's jobs, each with a part of the tasks
    gathers: int | None = None  # the job that goes on when those have ended; None: nobody does, but a person

    def state(self, at: int, states: Mapping[tuple[int, int], str]) -> str:
        """Of its task `at`; empty where Slurm knows none."""
        return next((states[array, at] for array in self.arrays if (array, at) in states), "")


def read_jobs(directory: Path) -> list[Job]:
    """Raises ClearwayError."""
    found = []
    for path in sorted((directory / FOLDER).glob("*.json"), key=lambda path: int(path.stem)):
        try:
            found.append(from_text(Job, path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            if _age_s(path) > NOBODY_CAME_S:
                raise ClearwayError(f"'{path}' is damaged: {error}", "remove it, then continue with --resume") from None
            raise ClearwayError(f"another process is submitting from '{directory}'", "try again in a minute") from None
    return found


def is_being_submitted(directory: Path, job: Job) -> bool:
    """Whether it has no number yet, and may still get one."""
    return not job.arrays and _age_s(_path(directory, job.number)) < NOBODY_CAME_S


def claimed(directory: Path, number: int, tasks: tuple[tuple[int, ...], ...]) -> Job | None:
    """None where another process was first."""
    job = Job(number, tasks)
    path = _path(directory, number)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(plain(job)) + "\n")
    except FileExistsError:
        return None
    except OSError as error:
        raise ClearwayError(
            f"cannot write '{path}': {error.strerror}", "free some space, then continue with --resume"
        ) from None
    return job


def note(directory: Path, job: Job, arrays: Sequence[int], gathers: int | None) -> Job:
    """With the numbers that Slurm gave."""
    told = replace(job, arrays=tuple(arrays), gathers=gathers)
    with whole_file(_path(directory, job.number)) as stream:
        stream.write(json.dumps(plain(told)) + "\n")
    return told


def unclaim(directory: Path, job: Job) -> None:
    """Slurm took no such job."""
    _path(directory, job.number).unlink(missing_ok=True)


def job_called(directory: Path, number: int) -> Job:
    path = _path(directory, number)
    try:
        return from_text(Job, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClearwayError(
            f"cannot read '{path}': {reason(error)}", "`clearway compare --resume DIR` submits again"
        ) from None


def _path(directory: Path, number: int) -> Path:
    return directory / FOLDER / f"{number}.json"


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
