"""Programs that write scratch files and read them a dozen times: their inputs, and what they say in the end."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from flow_programs import inputs

HERE = Path(__file__).resolve().parent / "inputs"
SCRATCH = "scratch"  # a folder of the working directory, where all of them are told to write

Prepare = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Program:
    """One program with one input, in Debian's package."""

    name: str
    what: str
    prepare: Prepare  # puts the input files into the working directory
    command: tuple[str, ...]
    energy: str  # regular expression, one group: as it prints it; the last match counts
    log: str  # where it prints it; "" for its standard output
    scratch_variable: str = ""  # that says where scratch files go, where the input does not
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> str:
        """Why it cannot run here; empty where it can."""
        return "" if shutil.which(self.command[0]) else f"{self.command[0]} is not installed"

    def variables(self, folder: Path) -> dict[str, str]:
        """Its environment in the working directory `folder`, besides the usual."""
        told = {self.scratch_variable: str(folder / SCRATCH)} if self.scratch_variable else {}
        return {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **told, **self.environment}

    def make_folder(self, folder: Path) -> Path:
        """A working directory with its input."""
        (folder / SCRATCH).mkdir(parents=True)
        self.prepare(folder)
        return folder

    def final_energy(self, folder: Path, standard_output: str) -> str:
        """To the last printed digit. Raises ValueError where it printed none."""
        text = (folder / self.log).read_text(errors="replace") if self.log else standard_output
        found = re.findall(self.energy, text, re.MULTILINE)
        if not found:
            raise ValueError(f"{self.name} printed no energy: {text[-2000:]}")
        return str(found[-1])


def _copy(*names: str) -> Prepare:
    def prepare(folder: Path) -> None:
        for name in names:
            shutil.copy(HERE / name, folder)

    return prepare


def _espresso(folder: Path) -> None:
    inputs.espresso("water.pw")(folder)  # for its pseudopotentials
    shutil.copy(HERE / "water.pw", folder)


PROGRAMS = {
    program.name: program
    for program in (
        Program(
            "nwchem",
            "NWChem, conventional SCF",
            _copy("water.nw"),
            ("nwchem.mpich", "water.nw"),
            r"Total SCF energy = +(\S+)",
            "",
        ),
        Program(
            "psi4",
            "Psi4, conventional MP2",
            _copy("water.psi4"),
            ("psi4", "-n", "1", "-i", "water.psi4", "-o", "water.out"),
            r"^\s*MP2 Total Energy \(a\.u\.\) +: +(\S+)",
            "water.out",
            "PSI_SCRATCH",
        ),
        Program(
            "openmolcas",
            "OpenMolcas, SCF and MP2",
            _copy("water.molcas", "water.xyz"),
            ("pymolcas", "water.molcas"),
            r"Total MBPT2 energy +(\S+)",
            "",
            "MOLCAS_WORKDIR",
            {"MOLCAS_NEW_WORKDIR": "YES"},
        ),
        Program(
            "pw.x",
            "Quantum ESPRESSO, disk_io = 'high'",
            _espresso,
            ("pw.x", "-in", "water.pw"),
            r"^!.*total energy +=\s+(\S+)",
            "",
            "ESPRESSO_TMPDIR",
        ),
    )
}
