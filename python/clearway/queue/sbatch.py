"""Slurm's sbatch and squeue: submitting an array, and which of its tasks are still to come or running."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole

OURS = ("array", "wrap", "parsable", "test-only", "wait")  # which we say ourselves, or which would end the rest
OF_WHOM = ("account", "partition", "qos", "reservation", "clusters", "cluster", "licenses", "comment", "wckey")
LETTERS = {"a": "array", "A": "account", "p": "partition", "q": "qos", "M": "clusters", "L": "licenses", "W": "wait"}
PATIENCE_S = 60
RUNS = frozenset({"RUNNING", "COMPLETING", "CONFIGURING", "STAGE_OUT", "SIGNALING", "SUSPENDED", "STOPPED"})
TO_COME = frozenset({"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", "RESIZING"})


class RefusedError(ClearwayError):
    """Slurm has answered, and there is no job."""


def require() -> None:
    for program in ("sbatch", "squeue"):
        if shutil.which(program) is None:
            raise ClearwayError(
                f"cannot submit: there is no '{program}' on the PATH",
                "run this on a login node of a cluster with Slurm; without --submit it runs here",
            )


def check_options(options: Sequence[str]) -> None:
    """Raises ClearwayError for what cannot be passed on."""
    for word in options:
        if _name(word) in OURS:
            raise ClearwayError(f"--submit cannot have '{word}': Clearway sets that itself", "leave it out")
    if options and not options[0].startswith("-"):
        raise ClearwayError(f"'{options[0]}' is not an option of sbatch", "--submit='--nodes=4 --time=30'")


def of_whom(options: Sequence[str]) -> list[str]:
    """Of these options those that say on whose account and in which queue: for a job of one task."""
    kept: list[str] = []
    for at, word in enumerate(options):
        if word.startswith("-") and _name(word) in OF_WHOM:
            kept.append(word)
            bare = "=" not in word if word.startswith("--") else len(word) == 2
            if bare and at + 1 < len(options):
                kept.append(options[at + 1])
    return kept


def _name(word: str) -> str:
    if word.startswith("--"):
        return word[2:].partition("=")[0]
    return LETTERS.get(word[1:2], word[1:2]) if word.startswith("-") else ""


def submitted(options: Sequence[str], script: Sequence[str], environment: Mapping[str, str]) -> int:
    """The number of the job. Raises RefusedError with Slurm's own words, ClearwayError where it does not answer."""
    command = ["sbatch", "--parsable", *options, *script]
    answer = _asked(command, environment)
    found = re.match(r"(\d+)", answer.stdout.strip().splitlines()[-1] if answer.stdout.strip() else "")
    if answer.returncode != 0 or found is None:
        said = (answer.stderr or answer.stdout).strip().replace("sbatch: error: ", "") or "and says nothing"
        said = "; ".join(said.splitlines())
        raise RefusedError(f"Slurm refuses the job: {said}", f"the options were: {' '.join(options)}")
    return int(found[1])


def states_of(jobs: Sequence[int]) -> Mapping[tuple[int, int], str]:
    """The state of each task that Slurm still knows, by job and number of the task. Raises ClearwayError."""
    if not jobs:
        return {}
    line = ["squeue", "--noheader", "--array", "--states=all", "--format=%F %K %T"]
    answer = _asked([*line, f"--jobs={','.join(map(str, jobs))}"])
    if answer.returncode != 0 and "Invalid job id" not in answer.stderr:
        raise ClearwayError(f"squeue does not answer: {answer.stderr.strip()}", "try again in a minute")
    found = {}
    for words in map(str.split, answer.stdout.splitlines()):
        if len(words) == 3 and is_whole(words[0]):
            found[int(words[0]), int(words[1]) if is_whole(words[1]) else 0] = words[2]
    return found


def _asked(command: Sequence[str], environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise ClearwayError(
            f"cannot run '{command[0]}': {error.strerror}", "is this a login node of a cluster with Slurm?"
        ) from None
    except subprocess.TimeoutExpired:
        raise ClearwayError(f"'{command[0]}' does not answer within {PATIENCE_S} s", "try again in a minute") from None
