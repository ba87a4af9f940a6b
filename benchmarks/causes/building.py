"""The skeleton, built once for each MPI."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from diagnosis.building import FLAGS, REPOSITORY

from clearway.base.errors import ClearwayError

HERE = Path(__file__).resolve().parent
FOLDER = REPOSITORY / "build/causes"


@cache
def build_skeleton(mpi: str) -> Path:
    """For Debian's "openmpi" or "mpich". Raises ClearwayError where its compiler is not installed."""
    compiler = shutil.which(f"mpicc.{mpi}")
    if compiler is None:
        raise ClearwayError(f"there is no mpicc.{mpi}", f"apt-get install gcc lib{mpi}-dev")
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / f"skeleton-{mpi}"
    command = [compiler, *FLAGS, str(HERE / "skeleton/main.c"), "-o", str(program), "-lpthread"]
    built = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if built.returncode != 0:
        raise ClearwayError(f"the skeleton cannot be built: {built.stderr}")
    return program
