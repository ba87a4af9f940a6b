"""The Runs of a job of Slurm's, by its number: the plugin called them so (native/slurm/step.hpp)."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.site.settings import Settings, folder_of, read_settings

STEP = r"\d+|mpirun\d+"  # of srun, or the number of an mpirun in the batch script
JOB = re.compile(rf"(\d+)(?:_(\d+))?(?:\.({STEP}))?", re.ASCII)


def is_job(text: str) -> bool:
    """Whether it is the number of a job (1234), of an array's task (1230_7) or of a step (1234.0, 1234.mpirun1)."""
    return len(text) <= 40 and JOB.fullmatch(text) is not None


def runs_in(folder: Path, job: str) -> list[Path]:
    """In the order of their steps, a job that was started again behind its first attempt."""
    match = JOB.fullmatch(job)
    if match is None:
        return []
    number, task, step = match.groups()
    first = r"\d+" if task else re.escape(number)
    last = rf"\.{number}_{task}" if task else r"(?:\.\d+_\d+)?"
    steps = step or STEP
    name = re.compile(rf"{first}\.({steps})(?:-(\d+))?{last}", re.ASCII)
    try:
        found = [(match, path) for path in folder.iterdir() if (match := name.fullmatch(path.name))]
    except OSError:
        return []
    found.sort(key=lambda entry: (int(entry[0][2] or 1), int(entry[0][1].removeprefix("mpirun"))))
    return [path for _, path in found if any(path.glob("rank.*.cwr"))]


def own_folder(settings: Settings) -> Path:
    """Where Runs of the user who asks are kept. Raises ClearwayError for one whom the system does not know."""
    try:
        person = pwd.getpwuid(os.getuid())
    except KeyError:
        raise ClearwayError(
            f"there is no user {os.getuid()} here, so no folder of their Runs is known",
            "give a Run directory: clearway report DIR",
        ) from None
    return folder_of(settings, person.pw_dir, person.pw_name)


def find_run(job: str) -> tuple[Path, list[Path]]:
    """The Run of a job and, of its other steps: the one with the most ranks, the latest of equals."""
    folder = own_folder(read_settings())
    runs = runs_in(folder, job)
    if not runs:
        raise ClearwayError(
            f"there is no Run of job {job} in {folder}",
            "was it recorded? `clearway list DIR` shows the Runs below a directory; `clearway report DIR` takes a "
            "directory",
        )
    chosen = max(runs, key=lambda path: (sum(1 for _ in path.glob("rank.*.cwr")), runs.index(path)))
    return chosen, [path for path in runs if path != chosen]
