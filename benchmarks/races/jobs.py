"""The jobs that are tuned: small, so that every way to run them can be run several times."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flow_programs import inputs

from clearway.job.change import Change
from clearway.tune.setting import MayChange, Setting

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "build/races"

MPIRUN = ("mpirun", "--allow-run-as-root", "-np", "2", "--bind-to", "none")
MDRUN = ("gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-pin", "off")
LINKS = "--hosts 4 --rate 20mbit"

# What LAMMPS brings as its melt.
MELT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 50
run {steps}
"""

# Silicon would need a pseudopotential that Debian does not bring: water in a small cell, with k-points.
K_POINTS = (("celldm(1) = 24.0", "celldm(1) = 14.0"), ("conv_thr = 1.0d-2", "conv_thr = 1.0d-6"),
            ("K_POINTS gamma", "K_POINTS automatic\n2 2 1 0 0 0"))  # fmt: skip
CP_STEPS = (("nstep = 2,", "nstep = 6,"), ("celldm(1) = 24.0", "celldm(1) = 20.0"))
SALT_STEPS = (("run             15", "run             20000"), ("0 12 0 12 0 12", "0 8 0 8 0 8"))
CP2K_CYCLES = (("MAX_SCF 2", "MAX_SCF 3"),)


@dataclass(frozen=True)
class Job:
    name: str
    words: str
    command: tuple[str, ...]
    prepare: Callable[[Path], None]  # puts the input into a folder
    run_s: float | None = None  # of a short run, as --run-time
    steps: int | None = None  # instead, as --steps
    testbed: str = ""
    more: tuple[Setting, ...] = ()  # that `clearway tune` has not on its list, for the grid


def water(folder: Path, name: str = "water", edge_nm: str = "2.5") -> None:
    """Made once, which takes a minute."""
    made = FOLDER / name
    if not (made / "run.tpr").exists():
        made.mkdir(parents=True, exist_ok=True)
        script = REPOSITORY / "examples/water/make-input"
        subprocess.run([script, made, edge_nm], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(made / "run.tpr", folder)


def much_water(folder: Path) -> None:
    """About 23,000 atoms."""
    water(folder, "much-water", inputs.WATER_EDGE_NM)


def melt(folder: Path, steps: int = 2000) -> None:
    (folder / "in.melt").write_text(MELT.format(steps=steps))


def k_points(folder: Path) -> None:
    inputs.espresso("water.pw")(folder)
    with_changes(folder / "water.pw", K_POINTS)


def damped(folder: Path) -> None:
    inputs.espresso("water.cp")(folder)
    with_changes(folder / "water.cp", CP_STEPS)


def salt(folder: Path) -> None:
    """For as long as a short run may last."""
    inputs.lammps(folder)
    with_changes(folder / "salt.lammps", SALT_STEPS)


def cp2k(folder: Path) -> None:
    inputs.cp2k(folder)
    with_changes(folder / "water.cp2k", CP2K_CYCLES)


def dhfr(folder: Path) -> None:
    """Made once: it needs a package of PyPI."""
    made = FOLDER / "dhfr"
    if not (made / "run.tpr").exists():
        made.mkdir(parents=True, exist_ok=True)
        inputs.dhfr(made)
    shutil.copy(made / "run.tpr", folder)


def with_changes(file: Path, changes: Sequence[tuple[str, str]]) -> None:
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def lists(*steps: int) -> tuple[Setting, ...]:
    """More lengths of neighbour lists than the two that are raced."""
    return tuple(_option("-nstlist", "-nstlist", str(one)) for one in steps)


def _option(knob: str, *words: str) -> Setting:
    return Setting(knob, " ".join(words), Change(program_options=words), MayChange.TOLERANCE)


JOBS = (
    Job("gromacs", "GROMACS, 500 molecules of water, 2 cores", (*MPIRUN, *MDRUN), water,
        steps=4800, more=lists(10, 80, 160)),
    Job("lammps", "LAMMPS, 16,384 Lennard-Jones atoms, 2 cores", (*MPIRUN, "lmp", "-in", "in.melt"), melt, run_s=1.0),
    Job("pw", "Quantum ESPRESSO pw.x, water with 4 k-points, 2 cores", (*MPIRUN, "pw.x", "-in", "water.pw"), k_points),
    Job("gromacs-hosts", "GROMACS, the same water, 4 hosts at 20 Mbit/s with deep buffers", MDRUN, water,
        steps=100, testbed=f"{LINKS} --buffer deep"),
    Job("gromacs-lossy", "GROMACS, the same water, 4 hosts at 20 Mbit/s with buffers of 20 kB", MDRUN, water,
        steps=100, testbed=f"{LINKS} --buffer 20k"),
    Job("cp", "Quantum ESPRESSO cp.x, a molecule of water in a box, 2 cores", (*MPIRUN, "cp.x", "-in", "water.cp"),
        damped),
    Job("salt", "LAMMPS, 4,096 ions of molten salt with PPPM, 2 cores", (*MPIRUN, "lmp", "-in", "salt.lammps"), salt,
        run_s=3.0),
    Job("cp2k", "CP2K, 32 molecules of water, 2 cores",
        ("env", "OMP_NUM_THREADS=1", *MPIRUN, "cp2k.psmp", "-i", "water.cp2k"), cp2k),
    Job("dhfr", "GROMACS, DHFR (23,558 atoms), 2 cores", (*MPIRUN, *MDRUN), dhfr, steps=60, more=lists(10, 80, 160)),
    Job("gromacs-8-hosts", "GROMACS, the same water, 8 hosts at 20 Mbit/s with buffers of 20 kB", MDRUN, water,
        steps=40, testbed="--hosts 8 --rate 20mbit --buffer 20k"),
    Job("gromacs-8-deep", "GROMACS, the same water, 8 hosts at 20 Mbit/s with deep buffers", MDRUN, water,
        steps=40, testbed="--hosts 8 --rate 20mbit --buffer deep"),
    Job("water", "GROMACS, about 23,000 atoms of water, 2 cores", (*MPIRUN, *MDRUN), much_water,
        steps=640, more=lists(10, 80, 160)),
)  # fmt: skip
