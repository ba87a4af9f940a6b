"""Batch scripts in the shapes that people publish: strict modes, traps, arrays, loops, csh, variables."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder

from clearway.job.script_launches import launches_in

SCRIPTS = Path(__file__).parent / "scripts"
PATIENCE_S = 90
# Launches that become Runs: of an array's tasks, of stages, of a loop. Of others there is one.
RUNS = {"stages.sh": 2, "strict-array.sh": 2, "loop.sh": 3, "ensemble.sh": 2}
NAMES = tuple(sorted(path.name for path in SCRIPTS.iterdir()))


Do = Callable[..., subprocess.CompletedProcess[str]]  # what the person types


def with_engine(home: Path, programs: ProgramBuilder, folder: Path) -> Path:
    """A folder with what the scripts want to find there."""
    folder.mkdir()
    folder.chmod(0o777)
    built = programs.build(mpi("openmpi-debian"), "tells", str(SCRIPTS.parent / "tells.c"))
    for name in ("engine", "mdengine"):
        shutil.copy(built, folder / name)
        (folder / name).chmod(0o755)
    wrapper = folder / "wrapper.sh"
    wrapper.write_text('#!/bin/bash\nexec "$@"\n')
    wrapper.chmod(0o755)
    for name in ("si.scf.in", "conf"):
        (folder / name).write_text("")
        (folder / name).chmod(0o666)
    modules = home / "modules" / "mdengine"
    modules.mkdir(parents=True, exist_ok=True)
    (modules / "1").write_text(f"#%Module\nprepend-path PATH {folder}\n")
    return folder


def needs(name: str) -> None:
    """What a script needs of this machine."""
    if name == "heterogeneous.sh":  # srun of two components hung in 3 of 36 jobs without Clearway, 2 of 36 with it
        pytest.skip("Slurm 22.05 does not always return from it")
    if name.endswith(".csh") and shutil.which("csh") is None:
        pytest.skip("no C shell is installed")
    if name == "gromacs.sh" and not Path("/usr/share/lmod/lmod/init/bash").exists():
        pytest.skip("lmod is not installed")


def with_before_launches(text: str, words: str) -> str:
    """As a person types it: `words` before each launcher."""
    for launch in sorted(launches_in(text), key=lambda each: each.begin, reverse=True):
        text = f"{text[: launch.begin]}{words} {text[launch.begin :]}"
    return text


def outcomes(
    do: Do, place: Path, name: str, texts: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[list[str], list[str]]]:
    """Each of `texts`, a script with options of sbatch, as a job in a folder of its own: how its parts ended, and what
    it left in files, without what is different each time.
    """
    jobs = {kind: _submitted(do, _folder(place, kind, name), name, *each) for kind, each in texts.items()}
    end = time.monotonic() + PATIENCE_S
    while do("squeue", "--noheader", f"--jobs={','.join(jobs.values())}").stdout.strip():
        assert time.monotonic() < end, "they go on and on"
        time.sleep(0.2)
    return {kind: _outcome(do, place / f"{kind}-{name}", job) for kind, job in jobs.items()}


def _folder(place: Path, kind: str, name: str) -> Path:
    folder = place / f"{kind}-{name}"
    folder.mkdir()
    folder.chmod(0o777)
    for path in place.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    for name in ("si.scf.in", "conf"):
        (folder / name).chmod(0o666)
    return folder


def _submitted(do: Do, folder: Path, name: str, text: str, options: str) -> str:
    (folder / name).write_text(text)
    asked = do("sh", "-c", f"cd {folder} && sbatch --parsable --output=said.%a {options} {name}")
    assert asked.returncode == 0, asked.stderr
    return asked.stdout.split(";")[0].strip()


def _outcome(do: Do, folder: Path, job: str) -> tuple[list[str], list[str]]:
    told = do("scontrol", "show", "job", job, "--oneliner").stdout
    ended = re.findall(r"JobState=(\w+).*?ExitCode=([\d:]+)", told)
    texts = [path.read_text(errors="replace") for path in sorted(folder.glob("said.*")) + sorted(folder.glob("*out*"))]
    lines = [line.replace(folder.name, "#") for text in texts for line in text.splitlines()]
    shown = [re.sub(r"\bjob\d+|\b\d{4,}\b|\bnode\d\b|mask \w+", "#", line) for line in lines]
    return sorted(" ".join(each) for each in ended), [line for line in shown if "testbed-idle" not in line]
