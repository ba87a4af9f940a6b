"""Programs of the benchmarks, built with an MPI's compiler; the workload, once for each MPI."""

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
    return built(mpi, HERE / "workload/main.c", FOLDER / f"workload-{mpi}")


@cache
def build_teams(mpi: str) -> Path:
    """Likewise tests/programs/teams.c: threads of GCC's OpenMP, or of POSIX."""
    return built(mpi, SHARED_HEADERS / "teams.c", FOLDER / f"teams-{mpi}", "-fopenmp")


@cache
def build_limits(mpi: str) -> Path:
    """Likewise tests/programs/limits.c: more memory than is granted."""
    return built(mpi, SHARED_HEADERS / "limits.c", FOLDER / f"limits-{mpi}")


@cache
def build_shared_work(mpi: str) -> Path:
    """Likewise a program whose ranks share their work among as many threads as GCC's OpenMP starts."""
    return built(mpi, HERE / "workload/shared_work.c", FOLDER / f"shared-work-{mpi}", "-fopenmp")


def built(mpi: str, source: Path, program: Path, *flags: str) -> Path:
    """`program`, compiled. Raises ClearwayError."""
    compiler = shutil.which(f"mpicc.{mpi}")
    if compiler is None:
        raise ClearwayError(f"there is no mpicc.{mpi}", f"apt-get install gcc lib{mpi}-dev")
    program.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, *FLAGS, *flags, str(source), "-o", str(program), "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise ClearwayError(f"{source.relative_to(REPOSITORY)} cannot be built: {done.stderr}")
    return program
