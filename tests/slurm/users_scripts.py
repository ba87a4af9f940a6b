"""Batch scripts in the shapes that people publish: strict modes, traps, arrays, loops, csh, variables."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person

from clearway.job.script_launches import launches_in

SCRIPTS = Path(__file__).parent / "scripts"
NAMES = tuple(sorted(path.name for path in SCRIPTS.iterdir()))


def with_engine(person: Person, programs: ProgramBuilder, folder: Path) -> Path:
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
    modules = person.home / "modules" / "mdengine"
    modules.mkdir(parents=True, exist_ok=True)
    (modules / "1").write_text(f"#%Module\nprepend-path PATH {folder}\n")
    return folder


def needs(name: str) -> None:
    """What a script needs of this machine."""
    if name.endswith(".csh") and shutil.which("csh") is None:
        pytest.skip("no C shell is installed")
    if name == "gromacs.sh" and not Path("/usr/share/lmod/lmod/init/bash").exists():
        pytest.skip("lmod is not installed")


def with_before_launches(text: str, words: str) -> str:
    """As a person types it: `words` before each launcher."""
    for launch in sorted(launches_in(text), key=lambda each: each.begin, reverse=True):
        text = f"{text[: launch.begin]}{words} {text[launch.begin :]}"
    return text


def submitted(person: Person, folder: Path, name: str, text: str, *options: str) -> int:
    """The number of the job, which runs in a folder of its own beside what it needs."""
    own = folder / re.sub(r"\W", "-", " ".join([name, *options]))
    own.mkdir()
    own.chmod(0o777)
    for path in folder.iterdir():
        if path.is_file():
            shutil.copy(path, own)
            (own / path.name).chmod(path.stat().st_mode)
    (own / name).write_text(text)
    line = f"cd {own} && sbatch --parsable --output=said.%a {' '.join(options)} {name}"
    asked = person.do("sh", "-c", line)
    assert asked.returncode == 0, asked.stderr
    return int(asked.stdout.split(";")[0])


def outcome(person: Person, folder: Path, name: str, job: int, *options: str) -> tuple[list[str], list[str]]:
    """How its parts ended, and what it left in files, without what is different each time."""
    own = folder / re.sub(r"\W", "-", " ".join([name, *options]))
    ended = re.findall(r"JobState=(\w+).*?ExitCode=([\d:]+)", person.types(f"scontrol show job {job} --oneliner"))
    texts = [path.read_text(errors="replace") for path in sorted(own.glob("said.*")) + sorted(own.glob("*out*"))]
    lines = [line for text in texts for line in text.splitlines()]
    shown = [re.sub(r"\bjob\d+|\b\d{4,}\b|\bnode\d\b|mask \w+", "#", line) for line in lines]
    return sorted(" ".join(each) for each in ended), [line.replace(str(own), ".") for line in shown]
