"""What files are made from: Runs, and sweeps of `clearway bench`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.mpi_name import mpi_name
from clearway.bench.saved_sweep import sweep_from
from clearway.bench.sweep import Sweep
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.transport import UCX, transport
from clearway.run import load
from clearway.tune.files.model import Library
from clearway.tune.files.mpis.mpich import default_libraries

FAMILIES = (("open mpi", "openmpi"), ("intel", "intel"), ("mpich", "mpich"))


@dataclass(frozen=True, slots=True)
class Measured:
    """A sweep, and where it lies."""

    path: str
    sweep: Sweep


@dataclass(frozen=True, slots=True)
class Sources:
    sweeps: tuple[Measured, ...]
    cases: tuple[tuple[str, Case], ...]


def read_sources(paths: Sequence[str]) -> Sources:
    """Directories are Runs, files what `clearway bench --json` wrote. Raises ClearwayError."""
    if not paths:
        raise ClearwayError("no measurements to make tuning files from", "clearway tune --files RUN -o DIR")
    sweeps = tuple(Measured(path, _sweep(path)) for path in paths if not Path(path).is_dir())
    return Sources(sweeps, tuple((path, _case(path)) for path in paths if Path(path).is_dir()))


def _case(path: str) -> Case:
    """Of many Runs, some may be damaged: it is said which. Raises ClearwayError."""
    try:
        return open_case(load(path))
    except ClearwayError as error:
        raise ClearwayError(error.message, error.hint or f"leave '{path}' out") from None


def _sweep(path: str) -> Sweep:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}': {error.strerror}", "give a Run directory, or FILE of `clearway bench … --json FILE`"
        ) from None
    sweep = sweep_from(text, path)
    if not any(point.calls_ns and not point.fault for curve in sweep.curves for point in curve.points):
        raise ClearwayError(f"'{path}' has no measured call", "clearway bench alltoall --json FILE -- mpirun …")
    return sweep


def library_of(sources: Sources, path: str | None) -> Library:
    """The one MPI of all sources. Raises ClearwayError where there are several, or none."""
    without = next((path for path, case in sources.cases if not case.tables.job.mpi_library), None)
    if without is not None:
        raise ClearwayError(f"the job in '{without}' used no MPI", "leave it out, or record the job under its launcher")
    told = {mpi_name(each.sweep.mpi): each.path for each in sources.sweeps}
    told |= {mpi_name(case.tables.job.mpi_library): name for name, case in sources.cases}
    if len(told) > 1:
        who = " and ".join(f"'{name}' ({where})" for name, where in told.items())
        raise ClearwayError(f"these were measured with several MPIs: {who}", "give measurements of one MPI")
    whole = [each.sweep.mpi for each in sources.sweeps] + [case.tables.job.mpi_library for _, case in sources.cases]
    name = _short(whole[0])
    family = next((family for word, family in FAMILIES if word in name.lower()), "")
    found = [Path(each.sweep.mpi_library) for each in sources.sweeps if each.sweep.mpi_library]
    version = re.search(r"(\d+)\.(\d+)", name)
    lies_at = Path(path) if path else _existing(found if family != "mpich" else [*found, *default_libraries()])
    over_ucx = any(transport(case) == UCX for _, case in sources.cases)
    if sources.sweeps and not sources.cases:
        over_ucx = _measured_over_ucx(family, sources.sweeps, lies_at)
    numbers = tuple(map(int, version.groups())) if version else ()
    return Library(name, family, numbers, lies_at, over_ucx)


def _short(library: str) -> str:
    """ "MPICH Version: 4.0.2 MPICH Release date: …" as "MPICH 4.0.2"; the others say theirs up to the first comma."""
    mpich = re.match(r"MPICH Version:\s*(\S+)", library)
    return f"MPICH {mpich[1]}" if mpich else mpi_name(library) or "an MPI of unknown name"


def _existing(paths: Sequence[Path]) -> Path | None:
    return next((path for path in paths if path.is_file()), None)


def _measured_over_ucx(family: str, sweeps: Sequence[Measured], library: Path | None) -> bool:
    """Where a sweep was told nothing, MPICH goes by what it was built for: its library says "ch4:ucx"."""
    if family == "openmpi":
        return any(each.sweep.settings.get("OMPI_MCA_pml") == UCX for each in sweeps)
    chosen = next((told for each in sweeps if (told := each.sweep.settings.get("MPIR_CVAR_CH4_NETMOD"))), None)
    if family != "mpich" or chosen is not None:
        return chosen == UCX
    try:
        return library is not None and b"ch4:ucx" in library.read_bytes()
    except OSError:
        return False
