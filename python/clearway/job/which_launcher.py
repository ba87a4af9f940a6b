"""Which launcher a name such as `mpirun` stands for: every MPI has one of that name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePath

from clearway.base.errors import ClearwayError
from clearway.job.launcher_options import OTHER_FORM, Grammar
from clearway.job.launchers.mpich_hydra import HYDRA, INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4, OPEN_MPI_5
from clearway.job.launchers.slurm import SRUN

AMBIGUOUS = ("mpirun", "mpiexec", "orterun", "prterun", "oshrun", "mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich")
FOREIGN = ("aprun", "jsrun", "ibrun", "flux", "palsrun", "ccc_mprun", "lrun", "poe", "charmrun", "mpirun_rsh")
ANSWER_LIMIT_S = 20


def is_called_like_one(word: str) -> bool:
    name = PurePath(word).name
    return name in ("srun", *FOREIGN, *AMBIGUOUS) or name.startswith(("mpirun.", "mpiexec.", "mpirun-", "mpiexec-"))


def identify(word: str, environment: Mapping[str, str]) -> Grammar | None:
    """The grammar of the launcher `word`, found on the PATH of `environment`; None when it is no launcher.

    Raises ClearwayError for a launcher that is not known here.
    """
    name = PurePath(word).name
    if name == "srun":
        return SRUN
    if name in FOREIGN:
        raise ClearwayError(f"Clearway does not know the command line of '{name}'", OTHER_FORM.format(launcher=name))
    if not is_called_like_one(name):
        return None
    path = shutil.which(word, path=environment.get("PATH", os.defpath))
    if path is None:
        raise ClearwayError(f"the launcher '{word}' is not on the PATH", "load the MPI's environment module first")
    grammar = recognise(_version_text(path, environment))
    if grammar is None:
        raise ClearwayError(
            f"cannot tell which MPI '{path}' belongs to: its --version names none that Clearway knows",
            OTHER_FORM.format(launcher=word),
        )
    return grammar


def identify_recorded(word: str, _assigned: Mapping[str, str]) -> Grammar | None:
    """As `identify`, for a command line that stands in a Run, which may be another user's: no program of theirs is
    started for it, and none with the variables that the line assigns.
    """
    path = shutil.which(word) if is_called_like_one(word) else None
    if path is not None and "/" in word and Path(path).stat().st_uid not in (0, os.geteuid()):
        raise ClearwayError(
            f"the launcher '{path}' is another user's program, so it is not started", OTHER_FORM.format(launcher=word)
        )
    return identify(word, os.environ)


def recognise(version_text: str) -> Grammar | None:
    """The grammar of the launcher that prints this when asked for its version."""
    if "Intel(R) MPI" in version_text:
        return INTEL_HYDRA
    if "HYDRA" in version_text:
        return HYDRA
    if "PRRTE" in version_text:
        return OPEN_MPI_5
    release = re.search(r"\((?:Open MPI|OpenRTE)\)\s+(\d+)", version_text)
    if release:
        return OPEN_MPI_5 if int(release[1]) >= 5 else OPEN_MPI_4
    return None


def _version_text(path: str, environment: Mapping[str, str]) -> str:
    """Asked once, as long as the file is the same: a diagnosis wants to know again and again."""
    try:
        state = Path(path).stat()
    except OSError as error:
        raise _unanswered(path, error) from None
    return _answer(path, (state.st_ino, state.st_size, state.st_mtime_ns), tuple(sorted(environment.items())))


@cache
def _answer(path: str, _state: tuple[int, int, int], environment: tuple[tuple[str, str], ...]) -> str:
    try:
        answer = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            timeout=ANSWER_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unanswered(path, error) from None
    return answer.stdout.decode("utf-8", "replace")


def _unanswered(path: str, error: Exception) -> ClearwayError:
    return ClearwayError(f"cannot ask '{path}' for its version: {error}", OTHER_FORM.format(launcher=path))
