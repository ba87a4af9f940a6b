"""The skeleton, built once for each MPI, and what plants the same faults in programs that know nothing of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from diagnosis.building import REPOSITORY, built

HERE = Path(__file__).resolve().parent
FOLDER = REPOSITORY / "build/causes"
PRELOAD = HERE / "shim/preload"


@cache
def build_skeleton(mpi: str) -> Path:
    """For Debian's "openmpi" or "mpich". Raises ClearwayError where its compiler is not installed."""
    return built(mpi, HERE / "skeleton/main.c", FOLDER / f"skeleton-{mpi}")


@cache
def build_shim(mpi: str) -> Path:
    """A library to preload. Likewise."""
    return built(mpi, HERE / "shim/shim.c", FOLDER / f"shim-{mpi}.so", "-shared", "-fPIC")
