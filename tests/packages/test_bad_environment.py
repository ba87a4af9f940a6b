"""What the wheel says where it cannot be installed, and what is installed says where it cannot work: a sentence each.

packaging/install.sh has more to say (test_install_script.py), and so has the build (test_building.py).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from packages.ordinary_user import OrdinaryUser


def said_by_pip(wheel: Path, folder: Path, *where: str) -> str:
    """To somebody who would install it there."""
    asked = ["download", "--quiet", "--no-deps", "--no-index", "--only-binary=:all:", *where, "--dest", folder, wheel]
    done = subprocess.run([sys.executable, "-m", "pip", *asked], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def test_python_too_old(wheel: Path, tmp_path: Path) -> None:
    said = said_by_pip(wheel, tmp_path, "--python-version", "3.9")
    assert said == "ERROR: Package 'clearway' requires a different Python: 3.9.0 not in '>=3.10'\n"


@pytest.mark.parametrize("system", ["musllinux_1_2", "manylinux_2_17"])
def test_another_libc_or_one_too_old(wheel: Path, tmp_path: Path, system: str) -> None:
    machine = wheel.stem.partition("manylinux_2_28_")[2]
    said = said_by_pip(wheel, tmp_path, "--platform", f"{system}_{machine}")
    assert said == f"ERROR: {wheel.name} is not a supported wheel on this platform.\n"
    assert said_by_pip(wheel, tmp_path, "--platform", f"manylinux_2_28_{machine}") == ""


def test_another_machine(wheel: Path, tmp_path: Path) -> None:
    said = said_by_pip(wheel, tmp_path, "--platform", "manylinux_2_28_ppc64le")
    assert said == f"ERROR: {wheel.name} is not a supported wheel on this platform.\n"


@pytest.mark.parametrize("command", ["run", "fix", "compare --vary a=1,2", "tune"])
def test_a_folder_that_cannot_be_written_to(user: OrdinaryUser, command: str) -> None:
    done = user.run("sh", "-c", f"cd /proc && clearway {command} -- mpirun.openmpi -np 2 hostname")
    assert done.exit_code == 1
    error, empty, hint = done.stderr.splitlines()
    assert error.startswith("error: cannot make the Run directory '/proc/clearway-") and empty == ""
    assert hint == "hint: choose another directory: -o DIR"


def test_a_home_that_cannot_be_written_to(user: OrdinaryUser, open_mpi: Mpi, programs: ProgramBuilder) -> None:
    """Nothing needs it: what is kept there is found out again."""
    user.take(programs.build(open_mpi, "pme_like", str(REPOSITORY / "examples" / "pme_like.c")))
    readable = {**open_mpi.environment, "HOME": "/proc"}
    job = ["mpirun.openmpi", "-n", "2", "./pme_like", "--steps", "5", "--size", "20"]
    recorded = user.run("clearway", "run", "--flow", "-o", "run", "--", *job, variables=readable)
    assert recorded.exit_code == 0 and "clearway: see `clearway report run`" in recorded.stderr, recorded.says
    predicted = user.run("clearway", "predict", "alltoall", "--hosts", "4", "--sizes", "1k", variables=readable)
    assert predicted.exit_code == 0 and "error" not in predicted.stderr, predicted.says


def test_a_path_that_cannot_be_preloaded_from(user: OrdinaryUser, open_mpi: Mpi, programs: ProgramBuilder) -> None:
    """The job runs, and somebody says why nothing is recorded."""
    user.take(programs.build(open_mpi, "pme_like", str(REPOSITORY / "examples" / "pme_like.c")))
    job = "mpirun.openmpi -n 2 ./pme_like --steps 5 --size 20"
    script = f"""
        cp -r environment 'my environment' && mkdir 'my runs' || exit
        'my environment/bin/clearway-record' -o alone ./pme_like --steps 5 --size 20 || exit
        clearway run -o 'my runs/1' -- {job}
    """
    done = user.run("sh", "-c", script, variables=open_mpi.environment)
    assert done.exit_code == 0, done.says
    assert "is installed under a path that LD_PRELOAD cannot hold\nhint: install it under a path without" in done.stderr
    assert "clearway: see `clearway report 'my runs/1'`" in done.stderr
