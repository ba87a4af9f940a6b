"""Makes the programs' input files, each in a folder that is kept."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]
PSEUDOPOTENTIALS = Path("/usr/share/doc/quantum-espresso/examples/CPV/EXX-wf-example")
CP2K_WATER = Path("/usr/share/doc/cp2k/examples/H2O-32_ewald.inp.gz")
WATER_EDGE_NM = "6.2"


def lammps(folder: Path) -> None:
    shutil.copy(HERE / "salt.lammps", folder)


def water(folder: Path) -> None:
    run([REPOSITORY / "examples/water/make-input", folder, WATER_EDGE_NM], folder)


def cp2k(folder: Path) -> None:
    """The coordinates are those of an example that comes with CP2K."""
    if not CP2K_WATER.exists():
        raise SystemExit(f"error: {CP2K_WATER} is not there\n\nhint: apt-get install cp2k")
    example = gzip.decompress(CP2K_WATER.read_bytes()).decode()
    coordinates = example.partition("&COORD\n")[2].partition("&END COORD")[0]
    (folder / "water.coordinates").write_text(coordinates)
    shutil.copy(HERE / "water.cp2k", folder)


def espresso(name: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        shutil.copy(HERE / name, folder)
        for potential in ("O_HSCV_PBE-1.0.UPF", "H_HSCV_PBE-1.0.UPF"):
            packed = PSEUDOPOTENTIALS / f"{potential}.gz"
            if not packed.exists():
                raise SystemExit(f"error: {packed} is not there\n\nhint: apt-get install quantum-espresso-data")
            (folder / potential).write_bytes(gzip.decompress(packed.read_bytes()))

    return prepare


def halo(folder: Path) -> None:
    """With Open MPI's compiler."""
    compiler = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
    if compiler is None:
        raise SystemExit("error: there is no mpicc\n\nhint: apt-get install gcc libopenmpi-dev")
    run([compiler, "-O1", "-o", "halo", HERE / "halo.c"], folder)


def dhfr(folder: Path) -> None:
    """JAC's files lie in the wheel of openmmtools; ParmEd, in an environment of its own, makes GROMACS' of them."""
    tools = folder / "tools"
    run([sys.executable, "-m", "venv", tools], folder)
    run([tools / "bin/pip", "install", "--quiet", "parmed", "numpy"], folder)
    run([tools / "bin/pip", "download", "--quiet", "--no-deps", "--dest", folder, "openmmtools"], folder)
    (wheel,) = folder.glob("openmmtools-*.whl")
    run([tools / "bin/python", HERE / "dhfr.py", wheel], folder)
    wheel.unlink()
    shutil.rmtree(tools)
    gmx = shutil.which("gmx") or "gmx_mpi"
    files = ["-c", "start.gro", "-p", "topol.top", "-po", "grompp_out.mdp"]
    shutil.copy(HERE / "dhfr.mdp", folder / "run.mdp")
    run([gmx, "grompp", "-f", "run.mdp", *files, "-o", "run.tpr", "-maxwarn", "3"], folder)


def run(command: list[str | Path], folder: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": str(os.cpu_count()), "GMX_MAXBACKUP": "-1"}
    words = [str(word) for word in command]
    outcome = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        raise SystemExit(f"error: {' '.join(words)} failed:\n{outcome.stdout[-2000:]}{outcome.stderr[-2000:]}")
