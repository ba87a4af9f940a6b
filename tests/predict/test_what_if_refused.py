"""What `clearway what-if` cannot answer: it says why, and what would help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_job
from predict.simulated_jobs import RANKS, simulated


def test_a_job_that_meets_only_in_files_is_refused(
    open_mpi: Mpi, programs: ProgramBuilder, run_directory: Path, tmp_path: Path
) -> None:
    program = programs.build(open_mpi, "left_out", "left_out.c")
    outcome = run_job(open_mpi, [program, "files"], 2, run_directory, directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    refused = run_clearway("what-if", run_directory, "--network", "perfect")
    assert refused.stderr.startswith("error: nothing can be replayed of "), refused.says
    assert "\n\nhint: " in refused.stderr


def test_a_job_of_one_rank_goes_on_no_other_cluster(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("clearway-script 1\nranks 1\nsteps 2\nrank 0\ncompute 1000\nallreduce 8\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 1, run_directory=run_directory, record_options=("--timeline",))
    assert outcome.exit_code == 0, outcome.says
    refused = run_clearway("what-if", run_directory, "--cluster", "gigabit")
    assert re.match(r"error: the job of \S+ has one rank, to which no network makes a difference", refused.stderr)
    assert "two ranks or more" in refused.stderr
    said = run_clearway("what-if", run_directory, "--network", "perfect")
    assert "Nothing to gain" in said.stdout, said.says


def test_a_program_without_mpi_is_refused(run_directory: Path) -> None:
    assert run_clearway("run", "-o", run_directory, "--", "sleep", "0.1").exit_code == 0
    for change in (["--network", "perfect"], ["--balance", "perfect"]):
        refused = run_clearway("what-if", run_directory, *change)
        assert refused.stderr.startswith("error: nothing can be replayed of "), refused.says


def test_a_run_without_a_timeline_goes_on_no_other_cluster(open_mpi: Mpi, run_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "script").write_text("clearway-script 1\nranks 2\nsteps 2\nrank 0-1\nsendrecv +1 8 -1 8\n")
    program = [clearway_tool("clearway-workload"), tmp_path / "script"]
    outcome = run_job(open_mpi, program, 2, run_directory=run_directory)
    assert outcome.exit_code == 0, outcome.says
    refused = run_clearway("what-if", run_directory, "--cluster", "gigabit")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: there is no timeline in"), refused.says
    assert "hint: record the job again: clearway run --timeline" in refused.stderr
    refused = run_clearway("what-if", run_directory, "--latency", "1us")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: all ranks are on one host"), refused.says
    assert "hint: " in refused.stderr


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        (["--latency", "1"], "'1' is not a time", "25us"),
        (["--latency", "1s"], "--latency 1.00 s is no gain: messages of this job took ", "--cluster FILE"),
        (["--latency", "1us", "--network", "perfect"], "a perfect network has no latency", "lossless goes with both"),
        (["--cluster", "absent"], "there is no ready cluster 'absent'", "clearway cluster list"),
        (["--cluster", "gone.toml"], "cannot read the cluster in 'gone.toml'", "--cluster FILE"),
        (["--cluster", "crossover-pair"], "8 ranks do not fit on 2 hosts with 2 each", "more hosts"),
        (["--cluster", "gigabit", "--balance", "perfect"], "--cluster simulates the recorded job", "--cluster gigabit"),
    ],
    ids=str,
)
def test_what_the_record_cannot_tell_is_refused(tmp_path: Path, words: list[str], says: str, hint: str) -> None:
    run = simulated(tmp_path / "made", [100_000] * RANKS, ("sendrecv +1 8 -1 8",))
    outcome = run_clearway("what-if", run, *words)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith(f"error: {says}"), outcome.says
    assert hint in outcome.stderr.partition("hint: ")[2]
    assert "Traceback" not in outcome.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no change to try"),
        (["--network", "better"], "invalid choice"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, words: list[str], says: str) -> None:
    outcome = run_clearway("what-if", tmp_path, *words)
    assert outcome.exit_code == 2 or outcome.exit_code == 1
    assert says in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_run_that_is_none(tmp_path: Path) -> None:
    outcome = run_clearway("what-if", tmp_path / "nothing", "--network", "perfect")
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error: ")
    assert "hint: " in outcome.stderr
