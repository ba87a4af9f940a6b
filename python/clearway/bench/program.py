"""Where clearway-bench and what it loads are, and how it is asked."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.bench.sweep import OWN
from clearway.job.launcher_options import Grammar
from clearway.job.prefixes import assigned_variables, launcher_position
from clearway.job.which_launcher import identify

PROGRAM = "clearway-bench"
FLOW_LIBRARY = "libclearway-flow.so"
# Both families call theirs libmpi.so, with numbers of their own; Debian's MPICH has another name.
LIBRARIES = {
    "Open MPI 4": ("libmpi.so.40",),
    "Open MPI 5": ("libmpi.so.40",),
    "MPICH": ("libmpi.so.12", "libmpich.so.12"),
    "Intel MPI": ("libmpi.so.12", "release/libmpi.so.12"),
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be measured, and how long."""

    operation: str
    sizes: Sequence[int]
    grid: str | None
    candidates: Sequence[str]
    calls: int
    least_calls: int
    budget_s: float
    interleave: bool
    knows_best: bool  # the flow library starts from a table and need not learn

    def arguments(self, mpi_library: Path | None, flow_library: Path | None) -> list[str]:
        """The command line of clearway-bench."""
        words = [self.operation, "--calls", str(self.calls), "--least-calls", str(self.least_calls)]
        words += ["--budget-ms", str(max(1, round(1000 * self.budget_s)))]
        if self.sizes:
            words += ["--sizes", ",".join(map(str, self.sizes))]
        if self.grid is not None:
            words += ["--grid", self.grid]
        for candidate in self.candidates:
            words += ["--candidate", candidate]
        if self.knows_best:
            words += ["--learning-calls", "0"]
        if self.interleave:
            words.append("--interleave")
        if mpi_library is not None:
            words += ["--mpi-library", str(mpi_library)]
        if flow_library is not None and any(candidate != OWN for candidate in self.candidates):
            words += ["--flow-library", str(flow_library)]
        return words


def find_flow_library(program: Path) -> Path | None:
    """PREFIX/lib/libclearway-flow.so of PREFIX/bin/clearway-bench; None where it was not built."""
    library = program.parent.parent / "lib" / FLOW_LIBRARY
    return library if library.is_file() else None


def find_mpi_library(command: Sequence[str], environment: Mapping[str, str]) -> Path | None:
    """The library beside the launcher of `command`; None: the ranks must tell from their environment.

    Raises ClearwayError where the launcher is none that is known, or is not there.
    """
    at = launcher_position(command)
    if at >= len(command):
        raise ClearwayError("no launcher to start the ranks", "clearway bench alltoall -- mpirun -np 8")
    settings = {**environment, **assigned_variables(command[:at])}
    grammar = identify(command[at], settings)
    if grammar is None:
        raise ClearwayError(f"'{command[at]}' is not an MPI launcher", "clearway bench alltoall -- mpirun -np 8")
    launcher = shutil.which(command[at], path=settings.get("PATH"))
    return None if launcher is None else library_beside(Path(launcher), grammar)


def library_beside(launcher: Path, grammar: Grammar) -> Path | None:
    roots = [launcher.absolute().parent.parent, launcher.resolve().parent.parent]
    folders = ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")
    names = LIBRARIES.get(grammar.name, ())
    candidates = (root / folder / name for root in roots for folder in folders for name in names)
    return next((path for path in candidates if path.is_file()), None)
