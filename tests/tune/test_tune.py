"""`clearway tune` on MPI jobs of a made engine, whose log tells what its options are asked for: no clock decides."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, kill_all, run_command

from clearway.base.schema import schema_of
from clearway.tune.tuning import SCHEMA, Tuning

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-tune-1.json"
QUICK = ("--timeout", "8s")  # with FAKE_HANGS one variant never ends


@pytest.fixture
def job(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> list[str]:
    """In a folder of its own, with an input, and with a log of an earlier run that nobody may touch."""
    program = programs.build(open_mpi, "gmx_fake", "fake_mdrun.c")
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "input.tpr").write_text("input")
    (folder / "md.log").write_text("of an earlier run")
    return open_mpi.command(2, [program, "mdrun"])


def tune(mpi: Mpi, folder: Path, *words: str | Path, **environment: str) -> Outcome:
    command = [clearway_tool("clearway"), "tune", *words]
    return run_command(command, {**mpi.environment, **environment}, timeout_s=110, directory=folder / "job")


def told(outcome: Outcome, exit_code: int = 0) -> dict[str, Any]:
    assert outcome.exit_code == exit_code, outcome.says
    tuning: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(tuning, schema_of(Tuning, SCHEMA))
    return tuning


def rows_of(tuning: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in tuning["rows"]}


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Tuning, SCHEMA)


def test_the_fastest_right_way_is_found(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    """One is faster; one crashes, one hangs, one changes the energy: they are named, and never recommended."""
    script = tmp_path / "best.sh"
    options = [*QUICK, "--json", "-", "-q", "-o", tmp_path / "t", "--write", script]
    tuning = told(tune(open_mpi, tmp_path, *options, "--", *job, FAKE_HANGS="1"))
    rows = rows_of(tuning)
    assert (tuning["answer"], tuning["best"], tuning["end"]) == ("faster", "-nstlist 40", "clear")
    assert (tuning["engine"], tuning["basis"], tuning["energies_compared"]) == ("GROMACS", "ns/day", True)
    best = rows["-nstlist 40"]
    assert best["speed"] == pytest.approx(1.25, rel=0.02)
    assert 1 < best["speed_low"] <= best["speed"] <= best["speed_high"]
    assert best["core_hours"] == pytest.approx(2 * 24 / 12.5, rel=0.02)
    assert rows["-nstlist 80"]["fault"] == "did not end within 8 s"
    assert "ended with" in rows["-dlb yes"]["fault"]
    assert "changes the energy: -41000 at step 0" in rows["-dlb no"]["fault"]
    for name in ("-nstlist 80", "-dlb yes", "-dlb no"):
        assert (rows[name]["standing"], rows[name]["runs"]) == ("thrown out", 0)
    runs = [json.loads(line)["variant"] for line in (tmp_path / "t/runs.jsonl").read_text().splitlines()]
    assert [runs.count(name) for name in ("-nstlist 80", "-dlb yes", "-dlb no")] == [1, 1, 1]

    typed = shlex.split(tuning["best_command"])
    assert typed == [*job, "-nstlist", "40"]  # and nothing of what made the runs short
    assert tuning["best_command"] == script.read_text().splitlines()[-1]
    assert os.access(script, os.X_OK)
    assert any("neighbour searching" in sentence for sentence in tuning["why"])
    again = run_command([script], open_mpi.environment, directory=tmp_path / "job")
    assert again.exit_code == 0, again.says


@pytest.mark.slow
def test_nothing_is_touched_but_one_directory(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "job"
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    outcome = tune(open_mpi, tmp_path, *QUICK, "-q", "-o", "t", "--", *job, FAKE_BEST="1")
    assert outcome.exit_code == 0, outcome.says
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir() if path.is_file()}
    assert after == before
    assert {path.name for path in folder.iterdir()} - {path.name for path in before} == {"t"}


def test_a_job_that_is_best_stays_as_it_is(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    outcome = tune(open_mpi, tmp_path, *QUICK, "-o", tmp_path / "t", "--", *job, FAKE_BEST="1")
    assert outcome.exit_code == 0, outcome.says
    assert "Nothing to gain" in outcome.stdout
    assert outcome.stdout.rstrip().splitlines()[-1] == shlex.join(job)
    assert "-npme: 2 ranks are too few for separate PME ranks" in outcome.stdout
    assert "Thrown out: -dlb yes ended with" in outcome.stdout


def test_a_command_that_keeps_options_to_itself_is_found_out(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    """All variants of it would be the unchanged job, and the answer would be wrong."""
    kept = ["bash", "-c", f"{shlex.join(job)} < input.tpr"]
    outcome = tune(open_mpi, tmp_path, *QUICK, "-q", "-o", tmp_path / "t", "--", *kept)
    assert outcome.exit_code == 0, outcome.says
    said = " ".join(outcome.stdout.split())
    assert "Nothing was tried: the command does not pass its options on to the program." in said
    assert "Nothing to gain" not in said
    assert "-nstlist 40 ran without -nstlist 40" in said


def test_a_script_that_passes_its_options_on_is_tuned(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    script = tmp_path / "job/start it.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(job)} "$@"\n')
    script.chmod(0o755)
    outcome = tune(open_mpi, tmp_path, *QUICK, "-q", "--json", "-", "-o", tmp_path / "t", "--", "./start it.sh")
    tuning = told(outcome)
    assert (tuning["answer"], tuning["best_command"]) == ("faster", "'./start it.sh' -nstlist 40")


def test_several_simulations_in_a_script_are_refused(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    """The first one's log tells the speed of one; the job's would be the sum."""
    script = tmp_path / "job/start.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(job)} -multidir a b "$@"\n')
    script.chmod(0o755)
    outcome = tune(open_mpi, tmp_path, "-q", "-o", tmp_path / "t", "--", "./start.sh")
    assert outcome.exit_code == 1, outcome.says
    assert "several simulations (-multidir)" in " ".join(outcome.stderr.split())


def test_another_program_beside_the_engine_gets_none_of_its_options(
    open_mpi: Mpi, job: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "job/coupler"
    other.write_text(f"#!/bin/sh\n[ $# = 1 ] || exit 9\nexec {shlex.join(job[-2:])}\n")
    other.chmod(0o755)
    mpmd = [*open_mpi.command(1, job[-2:]), ":", "-np", "1", "./coupler", "one"]
    tuning = told(tune(open_mpi, tmp_path, "-q", "--json", "-", "-o", tmp_path / "t", "--", *mpmd))
    assert not [row["name"] for row in tuning["rows"] if row["name"].startswith("-")]


def test_a_job_without_a_launcher_is_tuned(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    """Open MPI starts a process of its own beside it, which is no second rank."""
    tuning = told(tune(open_mpi, tmp_path, *QUICK, "-q", "--json", "-", "-o", tmp_path / "t", "--", *job[-2:]))
    assert (tuning["answer"], tuning["best_command"]) == ("faster", shlex.join([*job[-2:], "-nstlist", "40"]))


def test_a_dry_run_runs_the_job_once(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    outcome = tune(open_mpi, tmp_path, "--dry-run", "-o", tmp_path / "t", "--", *job)
    assert outcome.exit_code == 0, outcome.says
    assert "-nstlist 40: neighbour searching and domain decomposition take 33.5 % of a step" in outcome.stdout
    assert "may change a tolerance that the engine keeps" in " ".join(outcome.stdout.split())
    assert len((tmp_path / "t/runs.jsonl").read_text().splitlines()) == 1


@pytest.mark.slow
def test_ctrl_c_tells_the_best_so_far_and_it_goes_on(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    directory = tmp_path / "t"
    command = [clearway_tool("clearway"), "tune", *QUICK, "-o", directory, "--", *job]
    process = subprocess.Popen(
        [*map(str, command)],
        env={**os.environ, **open_mpi.environment, "FAKE_SLEEP_MS": "300"},
        cwd=tmp_path / "job",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: "-nstlist 40" in journal(directory), process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    finally:
        kill_all(process)
    assert process.returncode == 130, stdout + stderr
    assert "It was interrupted" in stdout
    assert f"clearway tune --resume {directory}" in " ".join(stdout.split())  # a long path is on a line of its own
    measured = journal(directory)

    resumed = tune(open_mpi, tmp_path, "--resume", directory, "-q", "--json", "-")
    tuning = told(resumed)
    assert tuning["best"] == "-nstlist 40"
    assert journal(directory).startswith(measured)


def test_ctrl_c_in_the_first_run_is_answered(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    directory = tmp_path / "t"
    process = subprocess.Popen(
        list(map(str, [clearway_tool("clearway"), "tune", "-o", directory, "--", *job])),
        env={**os.environ, **open_mpi.environment, "FAKE_SLEEP_MS": "60000"},
        cwd=tmp_path / "job",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: any(directory.glob("first-run/*.cwr")), process)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    finally:
        kill_all(process)
    assert process.returncode == 130, stdout + stderr
    assert "interrupted in the first run" in stderr


@pytest.mark.slow
@pytest.mark.parametrize("ended", [2, 6], ids=["in the heats", "later"])
def test_killed_it_goes_on_where_it_was(open_mpi: Mpi, job: list[str], ended: int, tmp_path: Path) -> None:
    """kill -9 in the middle of a run, whose job runs on, and of a line: nothing is run again, nothing counts twice."""
    directory = tmp_path / "t"
    command = [clearway_tool("clearway"), "tune", *QUICK, "-o", directory, "--", *job]
    process = subprocess.Popen(
        [*map(str, command)],
        env={**os.environ, **open_mpi.environment, "FAKE_SLEEP_MS": "500"},
        cwd=tmp_path / "job",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: journal(directory).count("\n") > ended, process)
        wait_until(lambda: half_done(directory), process)
        process.kill()
        process.communicate(timeout=30)
    finally:
        kill_all(process)
    measured = journal(directory)
    records = {file: file.stat().st_mtime_ns for run in runs_of(measured) for file in (directory / run).glob("*.cwr")}
    assert records
    (directory / "runs.jsonl").write_text(measured + measured.splitlines()[-1][:40])

    resumed = tune(open_mpi, tmp_path, "--resume", directory, "-q", "--json", "-")
    tuning = told(resumed)
    lines = [json.loads(line) for line in journal(directory).splitlines()]
    assert journal(directory).startswith(measured)
    assert {file: file.stat().st_mtime_ns for file in records} == records
    ran = [(line["variant"], line["round"]) for line in lines]
    assert len(set(ran)) == len(ran) > ended + 1
    assert (tuning["best"], tuning["answer"]) == ("-nstlist 40", "faster")
    assert tuning["runs"] == len(lines)
    assert tuning["spent_s"] == pytest.approx(sum(line["spent_s"] for line in lines))
    rounds = {number for _, number in ran}
    assert rounds == set(range(min(rounds), max(rounds) + 1)), "no round is left out"
    for name, row in rows_of(tuning).items():
        well = [line for line in lines if line["variant"] == name and line["figures"] and line["round"] > 0]
        assert row["runs"] == len(well), name


def runs_of(told: str) -> list[str]:
    return [json.loads(line)["run"] for line in told.splitlines()]


def half_done(directory: Path) -> bool:
    """Whether ranks of a run that is not in the journal record."""
    known = {directory / run for run in runs_of(journal(directory))}
    return any(file.parent not in known for file in directory.glob("round-*/*/*.cwr"))


def journal(directory: Path) -> str:
    try:
        return (directory / "runs.jsonl").read_text()
    except OSError:
        return ""


def wait_until(there: Any, process: subprocess.Popen[str]) -> None:
    while not there():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_a_budget_ends_it_and_nothing_is_claimed(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    options = [*QUICK, "--budget", "1ms", "--json", "-", "-q", "-o", tmp_path / "t"]
    tuning = told(tune(open_mpi, tmp_path, *options, "--", *job))
    assert (tuning["answer"], tuning["end"], tuning["best"], tuning["runs"]) == ("not proven", "budget", "unchanged", 1)


def test_a_job_that_fails_is_not_tuned(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    outcome = tune(open_mpi, tmp_path, "-q", "-o", tmp_path / "t", "--", *job, FAKE_FAILS="1")
    assert outcome.exit_code == 1
    assert "cannot tune the job: unchanged, it ended with exit code" in outcome.stderr
    assert "no input here" in (tmp_path / "t/first-run/output.txt").read_text()


def test_the_first_run_has_a_page(open_mpi: Mpi, job: list[str], tmp_path: Path) -> None:
    outcome = tune(open_mpi, tmp_path, "--dry-run", "-q", "-o", tmp_path / "t", "--", *job)
    assert outcome.exit_code == 0, outcome.says
    assert "ns/day" in run_clearway("report", tmp_path / "t/first-run").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no job to tune"),
        (["--rounds", "2", "--", "true"], "--rounds must be at least 3"),
        (["--within", "0", "--", "true"], "--within must be a share"),
        (["--budget", "soon", "--", "true"], "'soon' is not a time"),
        (["--figure", "#", "--", "true"], "where the number is"),
        (["--resume", "/nowhere"], "cannot read '/nowhere/tune.json'"),
        (["--write", "/", "--", "true"], "exists already"),
        (["--", "gmx_mpi", "mdrun", "-cpi", "state.cpt"], "continues from a checkpoint"),
    ],
)
def test_mistakes_are_told(words: list[str], said: str, tmp_path: Path) -> None:
    outcome = run_clearway("tune", *words, directory=tmp_path)
    assert outcome.exit_code == 1
    assert said in outcome.stderr
    assert "Traceback" not in outcome.stderr
