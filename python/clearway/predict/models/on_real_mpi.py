"""The command line that runs a Script on real MPI."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_program
from clearway.base.whole import is_whole
from clearway.bench.program import find_mpi_library
from clearway.job.command_line import read_command
from clearway.job.rewriting import of_name
from clearway.predict.models.script import Script

PROGRAM = "clearway-workload"
EXAMPLE = "clearway workload run gromacs33 --system aqp1 -- mpirun -np 8"


def ranks_of(launcher: Sequence[str], environment: Mapping[str, str]) -> int:
    """How many ranks the launcher starts. Raises ClearwayError where its command line does not say so."""
    if not launcher:
        raise ClearwayError("no launcher to start the ranks", EXAMPLE)
    line = read_command([*launcher, PROGRAM], environment)
    if line.grammar is None:
        raise ClearwayError(f"'{launcher[0]}' is not an MPI launcher", EXAMPLE)
    is_number = of_name(line.grammar, "n")
    told = [option.values[0] for section in line.sections for option in section.options if is_number(option)]
    if len(told) != 1 or not is_whole(told[0]):
        raise ClearwayError(f"cannot tell the number of ranks from '{' '.join(launcher)}'", "add: --ranks 8")
    return int(told[0])


@contextlib.contextmanager
def script_file(script: Script) -> Iterator[Path]:
    """In the working directory, which hosts share more often than /tmp; only as long as the job runs."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="clearway-workload-", dir=Path.cwd())
        path = Path(folder.name) / "script"
        path.write_text(script.text(), encoding="utf-8")
    except OSError as error:
        raise ClearwayError(
            f"cannot write to the working directory: {error.strerror}", "run it in a directory that you may write to"
        ) from None
    with folder:
        yield path


def command_for(
    launcher: Sequence[str], script: Path, scale: float, library: str | None, environment: Mapping[str, str]
) -> list[str]:
    """Raises ClearwayError where the launcher is none that is known."""
    found = library or find_mpi_library(launcher, environment)
    options = ["--scale", f"{scale:g}"] if scale != 1 else []
    options += ["--mpi-library", str(found)] if found is not None else []
    return [*launcher, str(find_program(PROGRAM)), str(script), *options]
