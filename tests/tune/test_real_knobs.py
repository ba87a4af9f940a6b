"""Every setting of engines that read it from their input, with the engine itself: it runs, and computes the same."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flow_programs import inputs
from harness.mpis import REPOSITORY, Mpi, mpi

from clearway.engines.kept_log import kept_log
from clearway.experiment.session import lines_of
from clearway.tune.knobs.gromacs import RANKS, THREADS
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


MDRUN = ["gmx", "mdrun", "-s", "run.tpr", "-nsteps", "200"]
CASES = [
    pytest.param("", MDRUN, gromacs, {"-ntmpi"}, id="GROMACS without MPI"),
    pytest.param("openmpi-debian", ["pw.x", "-in", "water.pw"], exact_exchange, {"-nb"}, id="pw.x"),
    pytest.param("openmpi-debian", ["cp2k.psmp", "-i", "water.cp2k"], cp2k, {"BLACS_GRID"}, id="CP2K"),
    pytest.param("mpich-debian", ["nwchem.mpich", "water.nw"], nwchem, {"integrals"}, id="NWChem"),
    pytest.param("", ["psi4", "-n", "1", "-i", "water.dat", "-o", "water.out"], psi4, {"scf_type"}, id="Psi4"),
]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("launcher", "program", "prepare", "knobs"), CASES)
def test_every_setting_runs_and_computes_the_same(
    launcher: str,
    program: list[str],
    prepare: Callable[[Path], None],
    knobs: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`knobs`: some of those that must be among them."""
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
    assert knobs <= {setting.knob for setting in tried}
    assert seeded.track.run((), 1) is not None
    for setting in tried:
        assert seeded.track.run((setting,), 1) is not None, seeded.track.fault_of(setting.name)
    assert seeded.track.checks_energies
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    for setting in tried:
        for line in setting.first_lines:
            assert any(line in file.read_text() for file in (tmp_path / "t/inputs").iterdir()), line


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ranks_that_are_threads_are_as_many_as_mdrun_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By mdrun's own log: with so many ranks, and threads of each, whatever it would have chosen itself."""
    seeded = of_gromacs(tmp_path, monkeypatch)
    tried = [one for one in settings(seeded.seen, (), 0.0).settings if one.knob == "-ntmpi"]
    assert tried
    for setting in tried:
        assert seeded.track.run((setting,), 1) is not None, seeded.track.fault_of(setting.name)
        (run,) = {sample.run for sample in seeded.track.of(setting.name)}
        log = kept_log(tmp_path / "t" / run)
        ranks, threads = (re.search(pattern, log, re.MULTILINE) for pattern in (RANKS, THREADS))
        assert (int(ranks[1]) if ranks else 1, int(threads[1]) if threads else 1) == setting.shape


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_mdrun_without_a_gpu_refuses_one_and_computes_the_same_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be tried beside a GPU, where there is none: told to use it, mdrun says why it does not."""
    seeded = of_gromacs(tmp_path, monkeypatch)
    beside_gpu = replace(seeded.seen, log=seeded.seen.log + "\n1 GPU selected for this run.\n")
    tried = {one.name: one for one in settings(beside_gpu, (), 0.0).settings if one.knob in ("-bonded", "-update")}
    assert set(tried) == {"-bonded gpu", "-bonded cpu", "-update gpu", "-update cpu"}
    assert seeded.track.run((), 1) is not None
    for name, setting in tried.items():
        seconds = seeded.track.run((setting,), 1)
        assert (seconds is None) == name.endswith("gpu"), name
        assert not name.endswith("gpu") or "GPU" in seeded.track.fault_of(name), seeded.track.fault_of(name)


def of_gromacs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Seeded:
    if shutil.which("gmx") is None:
        pytest.skip("gmx is not installed")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    folder = tmp_path / "job"
    folder.mkdir()
    gromacs(folder)
    return first_run(Task(tuple(MDRUN), str(folder)), folder, tmp_path / "t")


def first_run(task: Task, folder: Path, directory: Path) -> Seeded:
    directory.mkdir()
    with contextlib.chdir(folder), lines_of(task.plan()) as line_of:
        return seed(task, directory, line_of, Quiet())
