"""The programs that are compared: how each is run, where it prints its time, and what must come out alike."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import inputs

MDRUN = ("mdrun", "-s", "run.tpr", "-deffnm", "md", "-ntomp", "1", "-pin", "off", "-notunepme", "-reprod", "-nobackup")
GROMACS_TIME = r"^ +Time: +\S+ +(\S+)"  # core seconds, wall seconds
GROMACS_RESULT = r"Total Energy .*\n\s*\S+\s+\S+\s+\S+\s+(\S+)"
ESPRESSO_TIME = r"^ +(?:CP|PWSCF) +: .* CPU +(.*) WALL"


@dataclass(frozen=True, slots=True)
class Program:
    """One program with one input."""

    name: str
    about: str
    prepare: Callable[[Path], None]  # puts the input files into the folder
    command: tuple[str, ...]
    time: str  # regular expression of the wall-clock that the program prints for its computation; the last one counts
    result: str  # what must be alike however the messages went
    log: str = ""  # where it prints, if not on standard output

    @property
    def missing(self) -> bool:
        return not self.command[0].startswith("./") and shutil.which(self.command[0]) is None


PROGRAMS = (
    Program(
        "gromacs-water",
        "GROMACS, 23,000 atoms of water, PME, 60 steps",
        inputs.water,
        ("gmx_mpi", *MDRUN, "-nsteps", "60"),
        GROMACS_TIME,
        GROMACS_RESULT,
        "md.log",
    ),
    Program(
        "gromacs-dhfr",
        "GROMACS, DHFR in water (JAC, 23,558 atoms), PME, 60 steps",
        inputs.dhfr,
        ("gmx_mpi", *MDRUN, "-nsteps", "60"),
        GROMACS_TIME,
        GROMACS_RESULT,
        "md.log",
    ),
    Program(
        "cp.x",
        "Quantum ESPRESSO cp.x, a water molecule in a wide cell",
        inputs.espresso("water.cp"),
        ("cp.x", "-in", "water.cp"),
        ESPRESSO_TIME,
        r"total energy = .*$",
    ),
    Program(
        "pw.x",
        "Quantum ESPRESSO pw.x, a water molecule in a wide cell",
        inputs.espresso("water.pw"),
        ("pw.x", "-in", "water.pw"),
        ESPRESSO_TIME,
        r"^!.*total energy.*$",
    ),
    Program(
        "cp2k",
        "CP2K, 32 molecules of water, a few steps of SCF",
        inputs.cp2k,
        ("cp2k.psmp", "-i", "water.cp2k"),
        r"^ CP2K +1 +\S+ +\S+ +\S+ +\S+ +(\S+)",
        r"ENERGY\| Total.*$",
    ),
    Program(
        "lammps",
        "LAMMPS, 13,824 ions of molten salt, PPPM, 15 steps",
        inputs.lammps,
        ("lmp", "-in", "salt.lammps"),
        r"^Loop time of (\S+)",
        r"^ +15 .*$",
    ),
    Program(
        "halo",
        "halo.c: 64 kB to each of six neighbours at once, 16 kB gathered, 40 steps",
        inputs.halo,
        ("./halo",),
        r"^time (\S+)",
        r"^checksum .*$",
    ),
)
