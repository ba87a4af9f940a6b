"""The MPIs that files can be written for: one module each, with what it can be told and how."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Protocol, cast

from clearway.base.errors import ClearwayError
from clearway.tune.files.model import Library, Settings, Settled, Written

MODULES = {"openmpi": "open_mpi", "mpich": "mpich", "intel": "intel"}


class Mpi(Protocol):
    """What a module of this folder provides."""

    def algorithms(self, operation: str) -> Mapping[str, str]:
        """What can be chosen, by the name that pages use; the values are the MPI's words."""

    def forced(self, operation: str, algorithm: str) -> Settings:
        """What makes every call go by `algorithm`, for measuring it."""

    def told(self, operation: str, settings: Mapping[str, str]) -> tuple[str, Settings] | None:
        """The algorithm that a sweep's settings name, and the rest of them; None where no file could say the same."""

    def flowing(self, operation: str, library: Library, eager_bytes: int | None) -> str | None:
        """The algorithm that keeps ranks in step where messages up to `eager_bytes` are sent at once; None: none does.

        Where that cannot be asked for (`eager_bytes` is None), the one that has few messages on their way at a time.
        """

    def lacks(self, operation: str) -> str:
        """Why there is no such algorithm."""

    def everywhere(self, library: Library, eager_bytes: int | None) -> Settings:
        """What sends messages up to `eager_bytes` at once, without asking the receiver first."""

    def write(self, settled: Settled) -> Written: ...

    def beware(self) -> str:
        """What can go wrong with what was written."""


def mpi_of(library: Library) -> Mpi:
    """Raises ClearwayError for an MPI that is not known."""
    mpi = mpi_named(library.family)
    if mpi is None:
        raise ClearwayError(
            f"cannot write tuning files for '{library.name}'", "only Open MPI, MPICH and Intel MPI read such files"
        )
    return mpi


def mpi_named(family: str) -> Mpi | None:
    module = MODULES.get(family)
    return cast(Mpi, importlib.import_module(f"{__name__}.{module}")) if module else None
