"""What was asked for: which kind of work lies in a directory, and with which of sbatch's options it is submitted."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from clearway.base.errors import ClearwayError, reason
from clearway.base.json import plain
from clearway.base.output_file import whole_file, write_error
from clearway.base.quoted_words import quoted_words
from clearway.base.read_back import from_text, parsed
from clearway.queue.sbatch import check_options, require

T = TypeVar("T")
NAME = "submission.json"
ENVIRONMENT = "environment.json"
HINT = "give the directory that a command with --submit printed"


@dataclass(frozen=True, slots=True)
class Submission:
    kind: str  # the command that it is of: "compare"
    options: tuple[str, ...]  # sbatch's, as typed
    working_directory: str  # of the tasks
    at_once: int | None = None  # tasks that may run beside each other; None: as many as Slurm lets
    tasks: int = 100  # of an array, at most: each takes its share of the pieces
    tries: int = 3  # of a piece, before a person is asked


def submit(text: str, kind: str, at_once: int | None, tasks: int = 100) -> Submission:
    """Of what stands behind --submit. Raises ClearwayError where nothing can be submitted so."""
    require()
    options = tuple(quoted_words(text, "--submit", "--submit='--nodes=4 --time=30'"))
    check_options(options)
    for name, number in (("--at-once", at_once), ("--tasks", tasks)):
        if number is not None and number < 1:
            raise ClearwayError(f"{name} must be at least 1, not {number}", f"{name} 10")
    return Submission(kind, options, str(Path.cwd()), at_once, tasks)


def is_submitted(directory: Path) -> bool:
    return (directory / NAME).exists()


def write_submission(directory: Path, submission: Submission) -> None:
    """With the environment, for nobody else to read: whoever goes on later may have another, and the jobs may not."""
    path = directory / ENVIRONMENT
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
            json.dump(dict(os.environ), stream)
    except OSError as error:
        raise write_error(path, error) from None
    with whole_file(directory / NAME) as stream:
        json.dump(plain(submission), stream, indent=1)
        stream.write("\n")


def read_submission(directory: Path) -> Submission:
    """Raises ClearwayError."""
    path = directory / NAME
    try:
        return from_text(Submission, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ClearwayError(f"cannot read '{path}': {error.strerror}", HINT) from None
    except ValueError as error:
        raise ClearwayError(f"'{path}' is damaged: {error}", HINT) from None


def asked_in(kind: type[T], path: Path, command: str) -> T:
    """What `command` wrote there of what it was asked for. Raises ClearwayError."""
    try:
        return from_text(kind, path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClearwayError(
            f"cannot read '{path}': {reason(error)}", f"give the directory that `clearway {command}` named"
        ) from None


def environment_in(directory: Path) -> dict[str, str]:
    """Of the jobs: what it was when they were submitted first, without what tells of a job around that."""
    path = directory / ENVIRONMENT
    try:
        told = dict(parsed(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ClearwayError(f"cannot read '{path}': {reason(error)}", HINT) from None
    return {name: str(value) for name, value in told.items() if not name.startswith("SLURM_") or name == "SLURM_CONF"}
