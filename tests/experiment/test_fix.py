"""`clearway fix` on real jobs: what it finds, what it tries, and that it proves what it gave."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.testbed import privilege

SMALL_BUFFERS = "--hosts 4 --rate 20mbit --buffer 20k"


@pytest.fixture
def open_mpi() -> Mpi:
    found = mpi("openmpi-debian")
    if found.missing:
        pytest.skip(found.missing)
    return found


def fix(mpi: Mpi, *words: str | Path, timeout_s: float = 100) -> Outcome:
    return run_command([clearway_tool("clearway"), "fix", *words], mpi.environment, timeout_s)


def over_tcp(mpi: Mpi, program: Path, calls: int) -> list[str | Path]:
    """A job of many small exchanges that is kept from shared memory."""
    launcher = [*mpi.launcher, "-np", "2", "--mca", "btl", "tcp,self"]
    return ["--", *launcher, program, "alltoall", "8192", str(calls)]


@pytest.mark.timed
def test_a_dry_run_prints_what_would_be_tried_and_runs_the_job_once(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    options = ("--dry-run", "--remedy", "shared-memory", "-o", tmp_path / "fix")
    outcome = fix(open_mpi, *options, *over_tcp(open_mpi, program, 12000))
    assert outcome.exit_code == 0, outcome.says
    assert "clearway explain tcp-inside-host" in outcome.stdout
    line = outcome.stdout.partition("With shared-memory:\n")[2].strip()
    assert "vader" in line
    assert {path.name for path in (tmp_path / "fix").iterdir()} == {"first-run", "runs.jsonl"}
    assert run_command(shlex.split(line), open_mpi.environment).exit_code == 0  # a person can leave Clearway out

    again = fix(open_mpi, "--from", tmp_path / "fix" / "first-run", "--remedy", "shared-memory", "--dry-run")
    assert again.stdout == outcome.stdout


@pytest.mark.timed
def test_the_proof_has_runs_of_both(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    options = ("--rounds", "3", "--remedy", "shared-memory", "-o", tmp_path / "fix", "--json", tmp_path / "proof.json")
    outcome = fix(open_mpi, *options, *over_tcp(open_mpi, program, 8000))
    assert outcome.exit_code == 0, outcome.says
    proof = json.loads((tmp_path / "proof.json").read_text())
    assert [row["name"] for row in proof["rows"]] == ["unchanged", "shared-memory"]
    assert [row["rounds"] for row in proof["rows"]] == [3, 3]
    assert "shared-memory gives back" in outcome.stdout


def test_json_stands_alone_on_standard_output(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    options = ("--rounds", "3", "--remedy", "shared-memory", "-o", tmp_path / "fix", "--json", "-")
    outcome = fix(open_mpi, *options, *over_tcp(open_mpi, program, 8000))
    assert outcome.exit_code == 0, outcome.says
    assert [row["name"] for row in json.loads(outcome.stdout)["rows"]] == ["unchanged", "shared-memory"]


def test_nothing_to_do_is_said(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    command = ["--", *open_mpi.command(1, [program, "alltoall", "8", "10"])]
    outcome = fix(open_mpi, "--remedy", "flow", "-o", tmp_path / "fix", *command)
    assert outcome.exit_code == 0, outcome.says
    assert "With " not in outcome.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no job to fix"),
        (["--remedy", "prayer", "--", "true"], "there is no remedy 'prayer'"),
        (["--", "mpirun-of-nowhere", "-np", "2", "true"], "not on the PATH"),
        (["--from", "/nonexistent"], "/nonexistent"),
    ],
)
def test_mistakes_are_told(open_mpi: Mpi, words: list[str], said: str, tmp_path: Path) -> None:
    outcome = fix(open_mpi, *words)
    assert outcome.exit_code != 0
    assert said in outcome.stderr
    assert "hint:" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_job_that_fails_is_not_fixed(open_mpi: Mpi, tmp_path: Path) -> None:
    outcome = fix(open_mpi, "-o", tmp_path / "fix", "--", "sh", "-c", "echo the reason >&2; exit 3")
    assert outcome.exit_code == 1
    assert "ended with exit code 3" in outcome.stderr
    assert "the reason" in (tmp_path / "fix/first-run/output.txt").read_text()


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_jammed_network_is_found_and_flow_is_proved(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    options = ("--testbed", SMALL_BUFFERS, "--rounds", "3", "--json", tmp_path / "proof.json", "-o", tmp_path / "fix")
    job = [program, "alltoall", "131072", "60"]
    outcome = fix(open_mpi, *options, "--remedy", "flow", "--", *job, timeout_s=390)
    assert outcome.exit_code == 0, outcome.says
    assert "clearway explain congestion-loss" in outcome.stdout
    rows = json.loads((tmp_path / "proof.json").read_text())["rows"]
    assert rows[1]["name"] == "flow"
    assert rows[1]["ratio"] < 0.9
