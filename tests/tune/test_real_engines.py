"""Real engines: LAMMPS and GROMACS, from a first run to an answer that can be typed."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import jsonschema
import pytest
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.runs import run_command

from clearway.base.schema import schema_of
from clearway.tune.tuning import SCHEMA, Tuning

# Argon in a long box: cut across its short side, as LAMMPS never would, ranks have much more to exchange.
MELT = """units real
atom_style atomic
lattice fcc 5.3
region box block 0 40 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 39.948
pair_style lj/cut 8.5
pair_coeff 1 1 0.238 3.405
velocity all create 90 7
fix 1 all nve
timestep 2.0
thermo 50
run 300
"""


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_lammps(open_mpi: Mpi, tmp_path: Path) -> None:
    if shutil.which("lmp") is None:
        pytest.skip("LAMMPS is not installed")
    (tmp_path / "in.melt").write_text(MELT)
    job = open_mpi.command(2, ["lmp", "-in", "in.melt"])
    options = ["--rounds", "3", "--run-time", "2s", "-q", "--json", "-", "-o", "t"]
    outcome = run_command(
        [clearway_tool("clearway"), "tune", *options, "--", *job], open_mpi.environment, 390, tmp_path
    )
    assert outcome.exit_code == 0, outcome.says
    tuning = json.loads(outcome.stdout)
    jsonschema.validate(tuning, schema_of(Tuning, SCHEMA))
    assert (tuning["engine"], tuning["energies_compared"]) == ("LAMMPS", True)
    assert tuning["short"] == "timer timeout 2 every 10"
    assert not [row["fault"] for row in tuning["rows"] if "energy" in row["fault"]]  # no knob changes the physics
    assert (tmp_path / "in.melt").read_text() == MELT
    assert {path.name for path in tmp_path.iterdir()} == {"in.melt", "t"}
    typed = run_command(shlex.split(tuning["best_command"]), open_mpi.environment, 100, tmp_path)
    assert typed.exit_code == 0, typed.says


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_gromacs_with_both_ranks_on_one_core(open_mpi: Mpi, tmp_path: Path) -> None:
    """The fault of the README: the knob that mends it is found, and the rest races from there."""
    if shutil.which("gmx_mpi") is None:
        pytest.skip("GROMACS is not installed")
    made = run_command([REPOSITORY / "examples/water/make-input", tmp_path / "water", "2.5"], timeout_s=100)
    assert made.exit_code == 0, made.says
    folder = tmp_path / "job"
    folder.mkdir()
    shutil.copy(tmp_path / "water/run.tpr", folder)
    launcher = [*open_mpi.launcher, "-np", "2", "--bind-to", "none"]
    job = ["taskset", "-c", "0", *launcher, "gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-pin", "off"]
    options = ["--rounds", "4", "--run-time", "3s", "-q", "--json", "-", "-o", tmp_path / "t"]
    outcome = run_command([clearway_tool("clearway"), "tune", *options, "--", *job], open_mpi.environment, 590, folder)
    assert outcome.exit_code == 0, outcome.says
    tuning = json.loads(outcome.stdout)
    jsonschema.validate(tuning, schema_of(Tuning, SCHEMA))
    assert tuning["energies_compared"]
    assert tuning["answer"] == "faster"
    assert next(row["speed"] for row in tuning["rows"] if row["name"] == tuning["best"]) > 1.2
    assert {path.name for path in folder.iterdir()} == {"run.tpr"}
