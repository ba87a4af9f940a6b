"""Every setting of engines that read it from their input, with the engine itself: it runs, and computes the same."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from flow_programs import inputs
from harness.mpis import REPOSITORY, Mpi, mpi

from clearway.experiment.session import lines_of
from clearway.tune.session import Seeded, seed
from clearway.tune.space import settings
from clearway.tune.task import Task
from clearway.tune.track import Quiet

WATER = """memory 500 MB
molecule {
O
H 1 0.96
H 1 0.96 2 104.5
}
set basis cc-pvdz
energy('scf')
"""


def cp2k(folder: Path) -> None:
    inputs.cp2k(folder)
    text = (folder / "water.cp2k").read_text().replace("MAX_SCF 2", "MAX_SCF 30").replace("1.0E-1", "1.0E-7")
    (folder / "water.cp2k").write_text(text)


def nwchem(folder: Path) -> None:
    shutil.copy(REPOSITORY / "tests/engines/inputs/water.nw", folder)


def psi4(folder: Path) -> None:
    (folder / "water.dat").write_text(WATER)


def gromacs(folder: Path) -> None:
    made = subprocess.run([REPOSITORY / "examples/water/make-input", folder.parent / "water", "2.5"], check=False)
    assert made.returncode == 0
    shutil.copy(folder.parent / "water/run.tpr", folder)


# Iterations whose eigenvalues are exact from the first on, so that they do not depend on who starts with which numbers.
EXACT = (
    ("celldm(1) = 24.0", "celldm(1) = 12.0"),
    ("ecutwfc = 25.0", "ecutwfc = 20.0, input_dft = 'pbe0', ecutfock = 40.0"),
    ("conv_thr = 1.0d-2", "conv_thr = 1.0d-8, diago_thr_init = 1.0d-10, startingwfc = 'atomic'"),
)


def exact_exchange(folder: Path) -> None:
    """A molecule of water, coarsely: its exact exchange still takes most of the time."""
    inputs.espresso("water.pw")(folder)
    text = (folder / "water.pw").read_text()
    for old, new in EXACT:
        assert old in text
        text = text.replace(old, new)
    (folder / "water.pw").write_text(text)


CASES = [
    pytest.param("", ["gmx", "mdrun", "-s", "run.tpr", "-nsteps", "200"], gromacs, id="GROMACS without MPI"),
    pytest.param("openmpi-debian", ["pw.x", "-in", "water.pw"], exact_exchange, id="pw.x"),
    pytest.param("openmpi-debian", ["cp2k.psmp", "-i", "water.cp2k"], cp2k, id="CP2K"),
    pytest.param("mpich-debian", ["nwchem.mpich", "water.nw"], nwchem, id="NWChem"),
    pytest.param("", ["psi4", "-n", "1", "-i", "water.dat", "-o", "water.out"], psi4, id="Psi4"),
]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("launcher", "program", "prepare"), CASES)
def test_every_setting_runs_and_computes_the_same(
    launcher: str, program: list[str], prepare: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed")
    folder = tmp_path / "job"
    folder.mkdir()
    prepare(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    command = program
    if launcher:
        with_mpi: Mpi = mpi(launcher)
        for name, value in with_mpi.environment.items():
            monkeypatch.setenv(name, value)
        command = with_mpi.command(2, program)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    seeded = first_run(Task(tuple(map(str, command)), str(folder)), folder, tmp_path / "t")
    tried = settings(seeded.seen, (), 0.0).settings
    assert tried
    assert seeded.track.run((), 1) is not None
    for setting in tried:
        assert seeded.track.run((setting,), 1) is not None, seeded.track.fault_of(setting.name)
    assert seeded.track.checks_energies
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    for setting in tried:
        for line in setting.first_lines:
            assert any(line in file.read_text() for file in (tmp_path / "t/inputs").iterdir()), line


def first_run(task: Task, folder: Path, directory: Path) -> Seeded:
    directory.mkdir()
    with contextlib.chdir(folder), lines_of(task.plan()) as line_of:
        return seed(task, directory, line_of, Quiet())
