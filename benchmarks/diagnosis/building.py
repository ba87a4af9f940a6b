"""The workload, built once for each MPI."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from clearway.base.errors import ClearwayError

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
FOLDER = REPOSITORY / "build/diagnosis"
SHARED_HEADERS = REPOSITORY / "tests/programs"
# Debian's MPICH declares status arrays that gcc takes for too small.
FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Wno-stringop-overflow", f"-I{SHARED_HEADERS}")


@cache
def build_workload(mpi: str) -> Path:
    """For Debian's "openmpi" or "mpich". Raises ClearwayError where its compiler is not installed."""
    compiler = shutil.which(f"mpicc.{mpi}")
    if compiler is None:
        raise ClearwayError(f"there is no mpicc.{mpi}", f"apt-get install gcc lib{mpi}-dev")
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / f"workload-{mpi}"
    command = [compiler, *FLAGS, str(HERE / "workload/main.c"), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if built.returncode != 0:
        raise ClearwayError(f"the workload cannot be built: {built.stderr}")
    return program
