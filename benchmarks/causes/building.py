"""The skeleton, built once for each MPI."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from diagnosis.building import REPOSITORY, built

HERE = Path(__file__).resolve().parent
FOLDER = REPOSITORY / "build/causes"


@cache
def build_skeleton(mpi: str) -> Path:
    """For Debian's "openmpi" or "mpich". Raises ClearwayError where its compiler is not installed."""
    return built(mpi, HERE / "skeleton/main.c", FOLDER / f"skeleton-{mpi}")
