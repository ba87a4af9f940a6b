"""An MPI by its name and version."""

from __future__ import annotations


def mpi_name(library: str) -> str:
    """An MPI's name and version without what else its version string says: "Open MPI v4.1.4"."""
    return library.strip().partition("\n")[0].partition(",")[0].replace("\t", " ").strip()
