"""Real engines: LAMMPS and GROMACS, from a first run to an answer that can be typed."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from harness.lammps import argon, needs_lammps
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.runs import run_command

from clearway.base.schema import schema_of
from clearway.experiment.session import lines_of
from clearway.job.change import Change
from clearway.tune import Task, tune
from clearway.tune.knobs import lammps
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting
from clearway.tune.tuning import SCHEMA, Standing, Tuning

UNCHANGED_JOB = Change()

# Argon in a long box: cut across its short side, as LAMMPS never would, ranks have much more to exchange.
MELT = argon(steps=300, box="0 40 0 6 0 6")


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_lammps(open_mpi: Mpi, tmp_path: Path) -> None:
    needs_lammps()
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


def bad_ways(seen: Seen) -> Iterator[Knob]:
    """In the place of LAMMPS' knobs: each goes wrong in another way, with LAMMPS itself."""

    def setting(name: str, change: Change = UNCHANGED_JOB, *lines: str) -> Setting:
        return Setting(name, name, change, MayChange.ORDER, lines)

    ways = [
        setting("crashes", UNCHANGED_JOB, "no_such_command"),
        setting("hangs", UNCHANGED_JOB, "shell sleep 300"),
        setting("memory", Change(program_prefix=("prlimit", "--as=100000000"))),
        setting("energy", Change(program_options=("-var", "cutoff", "6.5"))),
        setting("harmless", UNCHANGED_JOB, "neigh_modify delay 0 every 1 check yes"),
    ]
    yield from (Knob(one.name, (one,), None, "it is tried") for one in ways)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_goes_wrong_is_named_and_costs_its_own_time(
    open_mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_lammps()
    monkeypatch.setattr(lammps, "knobs", bad_ways)
    for name, value in open_mpi.environment.items():
        monkeypatch.setenv(name, value)
    folder, directory = tmp_path / "job", tmp_path / "t"
    folder.mkdir()
    directory.mkdir()
    text = "variable cutoff index 8.5\n" + MELT.replace("lj/cut 8.5", "lj/cut ${cutoff}")
    (folder / "in.melt").write_text(text)
    monkeypatch.chdir(folder)
    job = tuple(map(str, open_mpi.command(2, ["lmp", "-in", "in.melt"])))
    task = Task(job, str(folder), run_s=1.0, rounds=3, timeout_s=12.0, learned=False, within=0.9)
    with lines_of(task.plan()) as line_of:
        tuning = tune(task, directory, line_of)
    rows = {row.name: row for row in tuning.rows}
    assert "ERROR: Unknown command: no_such_command" in rows["crashes"].fault
    assert rows["hangs"].fault == "did not end within 12 s"
    assert rows["memory"].fault.startswith("ended with")  # it says so, or crashes
    assert "changes the energy" in rows["energy"].fault
    for name in ("crashes", "hangs", "memory", "energy"):
        assert (rows[name].standing, rows[name].runs) == (Standing.THROWN_OUT, 0)
    assert rows["harmless"].standing is not Standing.THROWN_OUT
    assert tuning.best in ("unchanged", "harmless")
    assert [path.name for path in folder.iterdir()] == ["in.melt"]
    assert (folder / "in.melt").read_text() == text


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
