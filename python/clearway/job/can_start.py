"""Whether a program that is typed without a launcher can be started here at all: told before anything is tried."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.job.recorded_command import Job

SUBMITTERS = frozenset({"sbatch", "qsub", "bsub", "msub", "oarsub", "condor_submit"})


class CannotStartError(ClearwayError):
    """It would not start without Clearway, either."""


def check_runs_here(job: Job) -> None:
    """Raises ClearwayError for what only submits a job: each run of a race would be one more in the queue."""
    program = Path(job.program).name
    if job.launched or program not in SUBMITTERS:
        return
    raise ClearwayError(
        f"'{program}' only submits a job, and ends before that begins",
        "put Clearway into the script, before its launcher: clearway run -o run-%j -- srun …"
        + ("; `clearway fix job.sh` tries remedies for a script (clearway docs slurm)" if program == "sbatch" else ""),
    )


def check_can_start(job: Job, environment: Mapping[str, str]) -> None:
    """Raises CannotStartError where the first word of the command names no program.

    What a launcher or another command in front of it (timeout, env) starts is found by that, perhaps on another host.
    """
    if job.launched or job.programs[0] > 0:
        return
    word = job.program
    here = Path(word)
    if "/" not in word:
        if shutil.which(word, path=environment.get("PATH", os.defpath)) is not None:
            return
        if here.is_file():
            raise CannotStartError(f"'{word}' is not on the PATH", _how(here, f"./{word}"))
        raise CannotStartError(
            f"there is no program '{word}' on the PATH", "load its environment module first, or type its path"
        )
    if not here.exists():
        raise CannotStartError(f"there is no program '{word}'", f"the working folder is {Path.cwd()}")
    if here.is_dir():
        raise CannotStartError(f"'{word}' is a folder", "name the program in it")
    if not os.access(here, os.X_OK):
        raise CannotStartError(f"'{word}' may not be executed", _how(here, word))


def _how(path: Path, name: str) -> str:
    """What to type to start the file."""
    if os.access(path, os.X_OK):
        return f"it is in this folder: type {name}"
    try:
        script = path.open("rb").read(2) == b"#!"
    except OSError:
        script = False
    return (
        f"if it is a shell script, type: bash {name}"
        if script
        else f"if it is a program, make it executable: chmod +x {name}"
    )
