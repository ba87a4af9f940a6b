"""`clearway compare` on real MPI jobs: what is planted is found, what is not there is not, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, Mpi, all_mpis, clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import Outcome, kill_all, run_command

from clearway.base.schema import schema_of
from clearway.experiment.comparison import SCHEMA, Comparison

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-compare-1.json"
# One of each family in `make test`.
MPIS = [pytest.param(each, marks=() if each.name.endswith("-debian") else pytest.mark.slow) for each in all_mpis()]
SHORT = ("--rounds", "4", "--no-warm-up", "-q")


def compare(mpi: Mpi, program: Path, *options: str | Path, turns: int = 20, **environment: str) -> Outcome:
    command = [clearway_tool("clearway"), "compare", *options, "--", *mpi.command(2, [program, str(turns)])]
    return run_command(command, {**mpi.environment, **environment}, timeout_s=110)


def told(outcome: Outcome, exit_code: int = 0) -> dict[str, Any]:
    """The JSON of a comparison."""
    assert outcome.exit_code == exit_code, outcome.says
    comparison: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(comparison, schema_of(Comparison, SCHEMA))
    return comparison


def row(comparison: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in comparison["rows"] if row["name"] == name)
    return found


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Comparison, SCHEMA)


@pytest.mark.timed
@pytest.mark.parametrize("any_mpi", MPIS, indirect=True, ids=str)
def test_a_planted_effect_is_found(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Five times the sleep is five times the time, less what else MPI does.

    A start-up outside MPI is not counted: with it, the ratio would be 2.1 at most.
    """
    program = programs.build(any_mpi, "lazy_ring", "lazy_ring.c")
    options = ("--vary", "LAZY_MS=250", "--rounds", "8", *SHORT[2:], "--json", "-", "-o", tmp_path / "c")
    comparison = told(compare(any_mpi, program, *options, turns=4, LAZY_MS="50", START_MS="500"))
    slower = row(comparison, "LAZY_MS=250")
    assert comparison["basis"] == "MPI_Init to MPI_Finalize"
    assert slower["verdict"] == "slower"
    assert 2.3 < slower["ratio"] < 6
    assert slower["ratio_low"] < slower["ratio"] < slower["ratio_high"]
    assert slower["cpu_s"] > 0
    for run in slower["runs"]:
        assert list((tmp_path / "c" / run).glob("rank.*.cwr"))
        assert clearway_page(tmp_path / "c" / run)["job"]["ranks"] == 2


def clearway_page(run: Path) -> dict[str, Any]:
    outcome = run_clearway("report", run, "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    page: dict[str, Any] = json.loads(outcome.stdout)
    return page


@pytest.mark.timed
def test_the_command_shown_is_one_to_type(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    options = ("--vary", "LAZY_MS=1", "--rounds", "3", *SHORT[2:], "--json", "-", "-o", tmp_path / "c")
    comparison = told(compare(open_mpi, program, *options, LAZY_MS="30"))
    assert row(comparison, "LAZY_MS=1")["verdict"] == "faster"
    assert "-x LAZY_MS=1" in row(comparison, "LAZY_MS=1")["command"]
    typed = run_command(["sh", "-c", row(comparison, "LAZY_MS=1")["command"]], open_mpi.environment)
    assert typed.exit_code == 0, typed.says


@pytest.mark.timed
def test_nothing_is_found_where_nothing_is(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    options = ("--bare", *SHORT, "--json", "-", "-o", tmp_path / "c")
    comparison = told(compare(open_mpi, program, *options, turns=50, LAZY_MS="10"))
    again = row(comparison, "unchanged, again")
    assert again["verdict"] in ("same", "unclear")
    assert again["ratio_low"] <= 1 <= again["ratio_high"]


@pytest.mark.timed
def test_ranks(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    outcome = compare(open_mpi, program, "--ranks", "1,2,3", "--same-work", *SHORT, "-o", tmp_path / "c", LAZY_MS="10")
    assert outcome.exit_code == 0, outcome.says
    assert "speedup (scaling)" in outcome.stdout
    assert (
        "1 rank is enough; more are not faster." in outcome.stdout or "not clear whether more than 1" in outcome.stdout
    )
    for count in (1, 2, 3):
        records = list((tmp_path / "c/round-1").glob(f"*-{count}-rank*/rank.*.cwr"))
        assert len(records) == count


def test_other_numbers_of_ranks_are_not_compared_by_time(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """Nothing tells how much of it was done. A figure that the program prints does."""
    program = programs.build(open_mpi, "collective_loop", "collective_loop.c")
    job = ["--", *open_mpi.command(1, [program, "alltoall", "8", "500"])]
    options = ["compare", "--ranks", "1,2", *SHORT, "--json", "-"]
    outcome = run_command([clearway_tool("clearway"), *options, "-o", tmp_path / "t", *job], open_mpi.environment)
    two = row(told(outcome), "2 ranks")
    assert (two["verdict"], two["ratio"], two["rounds"]) == ("cannot be compared", None, 1)  # once is enough to tell
    assert two["not_compared"] == "the work may have changed with the number of ranks"

    figure = ["--time-figure", "alltoall 8 #"]
    outcome = run_command(
        [clearway_tool("clearway"), *options, *figure, "-o", tmp_path / "f", *job], open_mpi.environment
    )
    comparison = told(outcome)
    assert (comparison["basis"], comparison["figure"]) == ("figure", "alltoall 8 #")
    assert row(comparison, "2 ranks")["ratio"] > 1  # alone, a rank has nobody to exchange with

    missing = ["--figure", "no such words: #"]
    outcome = run_command(
        [clearway_tool("clearway"), *options, *missing, "-o", tmp_path / "m", *job], open_mpi.environment
    )
    assert "printed no line like 'no such words: #'" in told(outcome, exit_code=1)["rows"][0]["fault"]


def test_two_mpis(programs: ProgramBuilder, tmp_path: Path) -> None:
    """One job, two MPIs: each variant has its own command in a file, for a program is linked with one of them."""
    mpis = [mpi("openmpi-debian"), mpi("mpich-debian")]
    lines = []
    for each in mpis:
        program = programs.build(each, "lazy_ring", "lazy_ring.c")
        lines.append(f'[[variant]]\nname = "{each.name}"\ncommand = "{each.launcher[0]} -np 2 {program} 10"\n')
    (tmp_path / "mpis.toml").write_text("".join(lines))
    command = ["compare", "--variants", tmp_path / "mpis.toml", "--rounds", "3", *SHORT[2:], "--json", "-"]
    base = [*mpis[0].command(2, [programs.build(mpis[0], "lazy_ring", "lazy_ring.c"), "10"])]
    environment = {**mpis[0].environment, "LAZY_MS": "10"}
    outcome = run_command(
        [clearway_tool("clearway"), *command, "-o", tmp_path / "c", "--", *base], environment, timeout_s=110
    )
    comparison = told(outcome)
    libraries = {
        name: clearway_page(tmp_path / "c" / row(comparison, name)["runs"][0])["job"]["mpi_library"]
        for name in ("openmpi-debian", "mpich-debian")
    }
    assert "Open MPI" in libraries["openmpi-debian"]
    assert "MPICH" in libraries["mpich-debian"]


def test_a_program_of_another_mpi_is_told(programs: ProgramBuilder, open_mpi: Mpi, tmp_path: Path) -> None:
    """Under a foreign launcher each rank is alone: it ends well, and sooner. That is no gain."""
    if mpi("mpich-debian").missing:
        pytest.skip(mpi("mpich-debian").missing)
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    comparison = told(compare(open_mpi, program, "--mpi", "mpich", *SHORT, "--json", "-", "-o", tmp_path / "c"), 1)
    assert row(comparison, "mpich")["verdict"] == "failed"
    assert "built for a different MPI" in row(comparison, "mpich")["fault"]


def test_a_variant_that_fails_is_told_and_the_rest_goes_on(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = programs.build(debian_mpi, "lazy_ring", "lazy_ring.c")
    outcome = compare(
        debian_mpi, program, "--vary", "BREAK=3,0", *SHORT, "--json", "-", "-o", tmp_path / "c", LAZY_MS="5"
    )
    comparison = told(outcome, exit_code=1)
    broken = row(comparison, "BREAK=3")
    assert broken["verdict"] == "failed"
    assert "ended with" in broken["fault"]
    assert broken["rounds"] == 0
    assert row(comparison, "BREAK=0")["ratio"] is not None
    runs = [json.loads(line)["variant"] for line in (tmp_path / "c/runs.jsonl").read_text().splitlines()]
    assert runs.count("BREAK=3") == 2  # and was not tried a third time


@pytest.mark.timed
def test_a_variant_that_hangs_is_ended(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    options = ("--vary", "START_MS=100000", "--timeout", "3s", "--rounds", "3", *SHORT[2:], "--json", "-")
    comparison = told(compare(open_mpi, program, *options, "-o", tmp_path / "c"), exit_code=1)
    assert row(comparison, "START_MS=100000")["fault"] == "did not end within 3 s"
    assert not processes_of(program)


def processes_of(program: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/exe"):
        try:
            if entry.readlink() == program:
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


def test_resume_after_ctrl_c(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """What was measured is kept, the table so far is printed, no process is left; and it goes on to the same end."""
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    directory = tmp_path / "c"
    command = [clearway_tool("clearway"), "compare", "--vary", "LAZY_MS=40", "--rounds", "3", "--no-warm-up"]
    job = subprocess.Popen(
        [*map(str, command), "-o", str(directory), "--", *open_mpi.command(2, [program, "20"])],
        env={**os.environ, **open_mpi.environment, "LAZY_MS": "20"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: lines_of(directory) >= 3 and bool(processes_of(program)), job)
        job.send_signal(signal.SIGINT)
        stdout, stderr = job.communicate(timeout=30)
    finally:
        kill_all(job)
    assert job.returncode == 130, stdout + stderr
    assert "Interrupted: `clearway compare --resume" in stdout
    assert "LAZY_MS=40" in stdout
    assert not processes_of(program)
    measured = (directory / "runs.jsonl").read_text()
    assert len(measured.splitlines()) < 6

    outcome = run_command([clearway_tool("clearway"), "compare", "--resume", directory, "-q", "--json", "-"],
                          {**open_mpi.environment, "LAZY_MS": "20"}, timeout_s=110)  # fmt: skip
    comparison = told(outcome)
    after = (directory / "runs.jsonl").read_text()
    assert after.startswith(measured)
    assert len(after.splitlines()) == 6
    assert row(comparison, "LAZY_MS=40")["rounds"] == 3
    assert comparison["end"] in ("clear", "rounds")


def lines_of(directory: Path) -> int:
    try:
        return (directory / "runs.jsonl").read_text().count("\n")
    except OSError:
        return 0


def wait_until(there: Any, job: subprocess.Popen[str]) -> None:
    while not there():
        assert job.poll() is None, job.communicate()
        time.sleep(0.01)


def test_fresh_runs_find_the_directory_as_it_was(tmp_path: Path) -> None:
    """A job that finds what an earlier one left there fails, unless each has a copy of its own."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "job.sh").write_text("#!/bin/sh\ntest ! -e left-behind && touch left-behind && sleep 0.02\n")
    (work / "job.sh").chmod(0o755)
    words = [clearway_tool("clearway"), "compare", "--bare", "--rounds", "3", "-q", "--json", "-"]
    for options, code in (([], 1), (["--fresh"], 0)):
        directory = work / f"compare{code}"
        outcome = run_command([*words, *options, "-o", directory, "--", "./job.sh"], directory=work)
        assert outcome.exit_code == code, outcome.says
        assert (work / "left-behind").exists() == (code == 1)
        (work / "left-behind").unlink(missing_ok=True)


def test_each_run_reads_the_same_input(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("planted\n")
    words = [str(clearway_tool("clearway")), "compare", "--bare", "--rounds", "3", "-q", "--json", "-", "-o", "c"]
    script = f"{' '.join(words)} -- grep -q planted < input"
    outcome = run_command(["sh", "-c", script], directory=tmp_path)
    assert told(outcome)["rows"][0]["rounds"] == 3


@pytest.mark.timed
def test_budget(tmp_path: Path) -> None:
    words = [clearway_tool("clearway"), "compare", "--bare", "--budget", "1s", "-q", "--json", "-"]
    comparison = told(run_command([*words, "-o", tmp_path / "c", "--", "sleep", "0.3"]))
    assert comparison["end"] == "budget"
    runs = (tmp_path / "c/runs.jsonl").read_text().splitlines()
    assert 1 <= len(runs) <= 3  # a fourth of 0.3 s would have gone beyond it


@pytest.mark.timed
def test_on_a_testbed(programs: ProgramBuilder, open_mpi: Mpi, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a testbed needs root")
    program = programs.build(open_mpi, "lazy_ring", "lazy_ring.c")
    words = [clearway_tool("clearway"), "compare", "--vary", "LAZY_MS=20", "--testbed", "--hosts 2", *SHORT]
    outcome = run_command([*words, "--json", "-", "-o", tmp_path / "c", "--", program, "20"], timeout_s=110)
    comparison = told(outcome)
    typed = f"clearway testbed run --hosts 2 --env LAZY_MS=20 -- {program} 20"
    assert row(comparison, "LAZY_MS=20")["command"] == typed
    assert row(comparison, "LAZY_MS=20")["verdict"] == "slower"
    page = clearway_page(tmp_path / "c" / row(comparison, "LAZY_MS=20")["runs"][0])
    assert page["job"]["hosts"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bare"], "no job to compare"),
        (["--", "true"], "no variant to compare the job with"),
        (["--vary", "OMP_NUM_THREADS", "--", "true"], "has no NAME=VALUE,VALUE"),
        (["--vary", "A=1,1", "--", "true"], "two variants are called 'A=1'"),
        (["--ranks", "2,4", "--", "true"], "without a launcher there is one rank"),
        (["--mpi", "nothing", "--", "mpirun", "-np", "2", "true"], "not an MPI launcher"),
        (["--bare", "--rounds", "2", "--", "true"], "--rounds must be at least"),
        (["--bare", "--budget", "soon", "--", "true"], "'soon' is not a time"),
        (["--bare", "--variants", "/nowhere", "--", "true"], "exclude each other"),
        (["--variants", "/nowhere", "--", "true"], "cannot read '/nowhere'"),
        (["--bare", "--plot", "picture.doc", "--", "true"], "does not end in"),
        (["--bare", "--figure", "#", "--", "true"], "where the number is"),
        (["--bare", "--figure", "a", "--time-figure", "b", "--", "true"], "exclude each other"),
        (["--resume", "/nowhere", "--figure", "a"], "cannot be changed by --resume"),
        (["--resume", "/nowhere"], "cannot read '/nowhere/plan.json'"),
        (["--resume", "/nowhere", "--", "true"], "takes no command"),
        (["--bare", "--testbed", "--hosts 0", "--", "true"], "hosts"),
    ],
)
def test_mistakes_get_one_message_and_leave_nothing(tmp_path: Path, arguments: list[str], message: str) -> None:
    outcome = run_clearway("compare", *arguments, directory=tmp_path)
    assert outcome.exit_code in (1, 2)
    assert message in outcome.stderr
    assert "hint: " in outcome.stderr
    assert not list(tmp_path.iterdir())


def test_help_has_an_example() -> None:
    outcome = run_clearway("compare", "--help")
    assert "clearway compare --vary btl_tcp_sndbuf=16k,64k,512k -- mpirun" in outcome.stdout
