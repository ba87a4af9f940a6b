"""Real engines give the same final energy, to the last printed digit, recorded as bare.

NWChem is the exception: it hands out its work as ranks ask for it and adds up in that order, so that two bare runs on
two ranks differ in the twelfth decimal. A unit of the ninth, which it prints, may come of that.
"""

from __future__ import annotations

import gzip
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from flow_programs import inputs
from harness.mpis import mpi
from harness.runs import Outcome, load_page, own_words, run_job

INPUTS = Path(__file__).with_name("inputs")
PSEUDOPOTENTIALS = Path("/usr/share/doc/quantum-espresso/examples/CPV/EXX-wf-example")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Engine:
    """How to run one engine, and where it prints its energy."""

    name: str
    program: str  # as installed by Debian
    mpi: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    energy: str  # regular expression; the last match counts
    log: str = ""  # where it prints, if not on standard output


ENGINES = [
    Engine("GROMACS", "gmx_mpi", "openmpi-debian",
           ("mdrun", "-s", "run.tpr", "-deffnm", "md", "-reprod", "-ntomp", "1", "-nsteps", "100", "-notunepme"),
           (), r"Total Energy .*\n\s*\S+\s+\S+\s+\S+\s+(\S+)", log="md.log"),
    Engine("LAMMPS", "lmp", "openmpi-debian", ("-in", "lj.lammps"), ("lj.lammps",), r"^ +300 .*$"),
    Engine("QE pw.x", "pw.x", "openmpi-debian", ("-in", "water.pw"), ("water.pw",), r"^!.*total energy.*$"),
    Engine("QE cp.x", "cp.x", "openmpi-debian", ("-in", "water.cp"), ("water.cp",), r"total energy = .*$"),
    Engine("NWChem", "nwchem.mpich", "mpich-debian", ("water.nw",), ("water.nw",), r"Total DFT energy = +(-?[\d.]+)"),
]  # fmt: skip


def prepare(engine: Engine, folder: Path, request: pytest.FixtureRequest) -> Path:
    folder.mkdir()
    for name in engine.files:
        shutil.copy(INPUTS / name, folder)
    if engine.name == "GROMACS":
        shutil.copy(request.getfixturevalue("water_box"), folder)
    if engine.name == "CP2K":
        if not inputs.CP2K_WATER.exists():
            pytest.skip(f"{inputs.CP2K_WATER} is not there (Debian package cp2k)")
        inputs.cp2k(folder)
    if engine.name.startswith("QE"):
        for name in ("O_HSCV_PBE-1.0.UPF", "H_HSCV_PBE-1.0.UPF"):
            packed = PSEUDOPOTENTIALS / f"{name}.gz"
            if not packed.exists():
                pytest.skip(f"{packed} is not there (Debian package quantum-espresso-data)")
            (folder / name).write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


def final_energy(engine: Engine, outcome: Outcome, folder: Path) -> str:
    text = (folder / engine.log).read_text() if engine.log else outcome.stdout
    found = re.findall(engine.energy, text, re.MULTILINE)
    assert found, f"{engine.name} printed no energy\n{outcome.says}"
    return str(found[-1])


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
@pytest.mark.timeout(100)
def test_same_energy(engine: Engine, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if shutil.which(engine.program) is None:
        pytest.skip(f"{engine.program} is not installed")
    library = mpi(engine.mpi)
    if library.missing:
        pytest.skip(library.missing)
    energies = []
    for name, run_directory in (("bare", None), ("recorded", tmp_path / "run")):
        folder = prepare(engine, tmp_path / name, request)
        outcome = run_job(
            library, [engine.program, *engine.arguments], 2, run_directory, environment=ONE_THREAD, directory=folder
        )
        assert outcome.exit_code == 0, outcome.says
        assert not own_words(outcome.stderr)
        energies.append(final_energy(engine, outcome, folder))
    if engine.name == "NWChem":
        assert abs(float(energies[0]) - float(energies[1])) < 1.5e-9
    else:
        assert energies[0] == energies[1]
    page = load_page(tmp_path / "run")
    assert page["job"]["complete"]
    assert page["job"]["ranks"] == 2
    assert sum(row["count"] for row in page["mpi_calls"]) > 100
    assert page["ledger"]["compute_s"] > 0
    if engine.name in ("GROMACS", "LAMMPS"):
        assert page["engine"] is None or page["engine"]["name"].upper() == engine.name
