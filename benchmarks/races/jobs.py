"""The jobs that are tuned: small, so that every way to run them can be run several times."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from flow_programs.inputs import espresso

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


def water(folder: Path) -> None:
    """Made once, which takes a minute."""
    made = FOLDER / "water"
    if not (made / "run.tpr").exists():
        made.mkdir(parents=True, exist_ok=True)
        script = REPOSITORY / "examples/water/make-input"
        subprocess.run([script, made, "2.5"], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(made / "run.tpr", folder)


def melt(folder: Path, steps: int = 2000) -> None:
    (folder / "in.melt").write_text(MELT.format(steps=steps))


def k_points(folder: Path) -> None:
    espresso("water.pw")(folder)
    text = (folder / "water.pw").read_text()
    for old, new in K_POINTS:
        assert old in text
        text = text.replace(old, new)
    (folder / "water.pw").write_text(text)


def lists(*steps: int) -> tuple[Setting, ...]:
    """More lengths of neighbour lists than the two that are raced."""
    return tuple(_option("-nstlist", "-nstlist", str(one)) for one in steps)


def _option(knob: str, *words: str) -> Setting:
    return Setting(knob, " ".join(words), Change(program_options=words), MayChange.TOLERANCE)


JOBS = (
    Job("gromacs", "GROMACS, 500 molecules of water, 2 cores", (*MPIRUN, *MDRUN), water,
        steps=600, more=lists(10, 80, 160)),
    Job("lammps", "LAMMPS, 16,384 Lennard-Jones atoms, 2 cores", (*MPIRUN, "lmp", "-in", "in.melt"), melt, run_s=1.0),
    Job("pw", "Quantum ESPRESSO pw.x, water with 4 k-points, 2 cores", (*MPIRUN, "pw.x", "-in", "water.pw"), k_points),
    Job("gromacs-hosts", "GROMACS, the same water, 4 hosts at 20 Mbit/s with deep buffers", MDRUN, water,
        steps=100, testbed=f"{LINKS} --buffer deep"),
    Job("gromacs-lossy", "GROMACS, the same water, 4 hosts at 20 Mbit/s with buffers of 20 kB", MDRUN, water,
        steps=100, testbed=f"{LINKS} --buffer 20k"),
)  # fmt: skip
