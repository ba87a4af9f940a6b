"""Real engines as jobs: their inputs, and how they are started."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flow_programs import inputs

from diagnosis.building import REPOSITORY

Prepare = Callable[[Path], None]

ENGINE_INPUTS = REPOSITORY / "tests/engines/inputs"
MDRUN = ("mdrun", "-s", "run.tpr", "-deffnm", "md", "-ntomp", "1", "-pin", "off", "-notunepme", "-nobackup")

KEPT = "it frees large arrays and allocates them again; with the remedy it uses less CPU time"


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine with one input, in Debian's package."""

    what: str
    prepare: Prepare  # puts the input files into the working directory
    program: tuple[str, ...]
    mpi: str  # the one that it is linked with
    besides: frozenset[str] = frozenset()  # rules that say of it what is so
    why: str = ""  # that is so


def engine_test(name: str) -> Prepare:
    """An input of the tests."""

    def prepare(folder: Path) -> None:
        shutil.copy(ENGINE_INPUTS / name, folder)

    return prepare


def water(edge_nm: str) -> Prepare:
    def prepare(folder: Path) -> None:
        inputs.run([REPOSITORY / "examples/water/make-input", folder, edge_nm], folder)

    return prepare


def longer(prepare: Prepare, name: str, *changes: tuple[str, str]) -> Prepare:
    """What starting takes must not decide: the input `name` with other words in it."""

    def prepare_longer(folder: Path) -> None:
        prepare(folder)
        text = (folder / name).read_text()
        for old, new in changes:
            if old not in text:
                raise ValueError(f"{name} has no '{old}'")
            text = text.replace(old, new)
        (folder / name).write_text(text)

    return prepare_longer


ENGINES = {
    "gromacs": Engine(
        "GROMACS, water, PME",
        water("4.0"),
        ("gmx_mpi", *MDRUN, "-nsteps", "400"),
        "openmpi",
    ),
    "lammps": Engine(
        "LAMMPS, Lennard-Jones",
        longer(engine_test("lj.lammps"), "lj.lammps", ("run             300", "run 4000")),
        ("lmp", "-in", "lj.lammps"),
        "openmpi",
    ),
    "lammps-salt": Engine(
        "LAMMPS, molten salt, PPPM",
        longer(inputs.lammps, "salt.lammps", ("run             15", "run 150")),
        ("lmp", "-in", "salt.lammps"),
        "openmpi",
    ),
    "pw.x": Engine(
        "Quantum ESPRESSO pw.x, water",
        longer(inputs.espresso("water.pw"), "water.pw", ("conv_thr = 1.0d-2", "conv_thr = 1.0d-9")),
        ("pw.x", "-in", "water.pw"),
        "openmpi",
        frozenset({"memory-churn"}),
        KEPT,
    ),
    "cp.x": Engine(
        "Quantum ESPRESSO cp.x, water",
        longer(inputs.espresso("water.cp"), "water.cp", ("nstep = 2,", "nstep = 30,")),
        ("cp.x", "-in", "water.cp"),
        "openmpi",
        frozenset({"memory-churn"}),
        KEPT,
    ),
    "cp2k": Engine(
        "CP2K, 32 molecules of water",
        longer(inputs.cp2k, "water.cp2k", ("MAX_SCF 2", "MAX_SCF 20"), ("EPS_SCF 1.0E-1", "EPS_SCF 1.0E-6")),
        ("cp2k.psmp", "-i", "water.cp2k"),
        "openmpi",
    ),
    "nwchem": Engine(
        "NWChem, water",
        longer(
            engine_test("water.nw"),
            "water.nw",
            ("* library 3-21g", "* library cc-pvtz"),
            ("task dft", "task dft optimize"),
        ),
        ("nwchem.mpich", "water.nw"),
        "mpich",
        frozenset({"load-imbalance"}),
        "rank 0 reads the input, keeps the database and does the serial parts, while the other rank waits in barriers",
    ),
}
