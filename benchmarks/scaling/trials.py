"""The jobs: each runs on a few numbers of ranks, and on the one that is to be foretold."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from flow_programs.inputs import cp2k, espresso
from flow_programs.inputs import lammps as salt

REPOSITORY = Path(__file__).resolve().parents[2]

# What LAMMPS brings as its melt, larger.
LAMMPS = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {edge} 0 {edge} 0 {edge}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neigh_modify every 20 delay 0 check no
fix 1 all nve
run {steps}
"""
SCRIPT = """\
clearway-script 1
title exchange
ranks {ranks}
steps 40
rank 0-{last}
compute {compute_ns}
sendrecv +1 30000 -1 30000
alltoall {block}
allreduce 800
"""
WORK_NS = 48_000_000  # of all ranks, in a step
GRID_BYTES = 720_000  # that an all-to-all moves in a step

HALO = """\
clearway-script 1
title halo
ranks {ranks}
steps 60
rank 0-{last}
compute 10000000
sendrecv +1 40000 -1 40000
sendrecv -1 40000 +1 40000
allreduce 64
"""

GATHER = """\
clearway-script 1
title gather
ranks {ranks}
steps 60
rank 0-{last}
compute {compute_ns}
allgather 6000
bcast 0 20000
allreduce 4000
"""

LINKS = ("--rate", "20mbit", "--buffer", "deep")
FASTER = ("--rate", "60mbit", "--buffer", "deep")
MDRUN = ("gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-pin", "off", "-notunepme", "-npme", "0", "-nobackup")


@dataclass(frozen=True)
class Trial:
    name: str
    words: str
    command: tuple[str, ...]  # in the folder of inputs; {ranks} is their number
    recorded: tuple[int, ...]
    target: int
    testbed: tuple[str, ...] = ()  # a host for each rank, with these links; else all ranks on this machine
    unseen: bool = False  # run when the model was settled


TRIALS = (
    Trial("pme-like", "`pme_like`, the same work for each rank", ("pme_like", "--steps", "400"), (1, 2, 4), 8),
    Trial("lammps", "LAMMPS, 16,384 atoms", ("lmp", "-in", "melt.lammps", "-log", "none"), (1, 2, 4), 8),
    Trial("gromacs", "GROMACS, water", (*MDRUN, "-nsteps", "400"), (1, 2, 4), 8),
    Trial(
        "exchange-hosts",
        "exchange, a host for each rank",
        ("clearway-workload", "{ranks}.script"),
        (2, 3, 4),
        8,
        LINKS,
    ),
    Trial(
        "lammps-hosts",
        "LAMMPS, 16,384 atoms, a host for each rank",
        ("lmp", "-in", "melt.short", "-log", "none"),
        (2, 3, 4),
        8,
        LINKS,
    ),
    Trial(
        "gromacs-hosts",
        "GROMACS, water, a host for each rank",
        (*MDRUN, "-nsteps", "60"),
        (2, 3, 4),
        8,
        LINKS,
    ),
    Trial(
        "lammps-hosts-4",
        "LAMMPS, 16,384 atoms, a host for each rank",
        ("lmp", "-in", "melt.short", "-log", "none"),
        (2, 3, 4, 6),
        8,
        LINKS,
    ),
    Trial(
        "lammps-32000",
        "LAMMPS, 32,000 atoms, a host for each rank",
        ("lmp", "-in", "melt.large", "-log", "none"),
        (2, 4, 6),
        12,
        LINKS,
    ),
    Trial(
        "gromacs-60mbit",
        "GROMACS, water, a host for each rank, 60 Mbit/s",
        (*MDRUN, "-nsteps", "100"),
        (2, 4, 6),
        8,
        FASTER,
    ),
    Trial(
        "halo-hosts",
        "halos, the same work for each rank, a host for each",
        ("clearway-workload", "{ranks}.halo"),
        (2, 4, 6),
        12,
        LINKS,
    ),
    Trial(
        "pw-hosts",
        "Quantum ESPRESSO pw.x, a water molecule in a wide cell, a host for each rank",
        ("pw.x", "-in", "water.pw"),
        (2, 3, 4),
        8,
        LINKS,
    ),
    Trial(
        "cp2k-hosts",
        "CP2K, 32 molecules of water, a host for each rank, 60 Mbit/s",
        ("cp2k.psmp", "-i", "water.cp2k"),
        (2, 3, 4),
        8,
        FASTER,
        unseen=True,
    ),
    Trial(
        "salt-hosts",
        "LAMMPS, molten salt with PPPM, a host for each rank",
        ("lmp", "-in", "salt.lammps", "-log", "none"),
        (2, 4, 8),
        12,
        LINKS,
        unseen=True,
    ),
    Trial(
        "cp-hosts",
        "Quantum ESPRESSO cp.x, a water molecule, a host for each rank, 60 Mbit/s",
        ("cp.x", "-in", "water.cp"),
        (2, 3, 4),
        6,
        FASTER,
        unseen=True,
    ),
    Trial(
        "gather-hosts",
        "allgathers, broadcasts and a sum, a host for each rank",
        ("clearway-workload", "{ranks}.gather"),
        (2, 3, 5),
        10,
        LINKS,
        unseen=True,
    ),
    Trial(
        "lammps-long",
        "LAMMPS, 16,384 atoms, a host for each rank, 60 Mbit/s",
        ("lmp", "-in", "melt.short", "-log", "none"),
        (3, 4, 6),
        12,
        FASTER,
        unseen=True,
    ),
)


def write_inputs(folder: Path) -> None:
    """Of all trials. Takes a minute: water is equilibrated."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {number for trial in TRIALS for number in (*trial.recorded, trial.target)}
    for ranks in sorted(numbers):
        (folder / f"{ranks}.script").write_text(
            SCRIPT.format(ranks=ranks, last=ranks - 1, compute_ns=WORK_NS // ranks, block=GRID_BYTES // ranks**2)
        )
        (folder / f"{ranks}.gather").write_text(GATHER.format(ranks=ranks, last=ranks - 1, compute_ns=WORK_NS // ranks))
        (folder / f"{ranks}.halo").write_text(HALO.format(ranks=ranks, last=ranks - 1))
    (folder / "melt.large").write_text(LAMMPS.format(edge=20, steps=40))
    for made in (espresso("water.pw"), espresso("water.cp"), cp2k, salt):
        made(folder)
    (folder / "melt.lammps").write_text(LAMMPS.format(edge=16, steps=300))
    (folder / "melt.short").write_text(LAMMPS.format(edge=16, steps=60))
    source = REPOSITORY / "examples/pme_like.c"
    subprocess.run(["mpicc", "-O2", str(source), "-o", str(folder / "pme_like")], check=True)
    if not (folder / "run.tpr").exists():
        subprocess.run([REPOSITORY / "examples/water/make-input", folder, "3.0"], check=True, stdout=subprocess.DEVNULL)
