"""`clearway predict --workload`: what a job's prediction says, and the Run that it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY, clearway_tool
from harness.outcome import Outcome
from harness.runs import run_command

from clearway.base.schema import schema_of
from clearway.ledger.account import LINES, account
from clearway.predict.jobs.prediction import SCHEMA, JobPrediction
from clearway.predict.models import make_script
from clearway.run import load

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-predict-job-1.json"
GROMACS = ("--workload", "gromacs33:aqp1", "--steps", "3")

# All-to-alls that overrun ports of 64 kB, and messages of every other kind.
SCRIPT = """\
clearway-script 1
title eight that transpose
ranks 8
steps 10
comm even 0 2 4 6
rank 0-7
compute 2000000
irecv -1 3000 tag 5
isend +1 3000 tag 5
waitall
sendrecv +1 90000 -1 90000
alltoall 40000
allreduce 64
bcast 3 20000
reduce 1 5000
allgather 700
barrier
rank 0,2,4,6
alltoall 9000 comm even
"""


def predict(*arguments: str | Path) -> Outcome:
    return run_clearway("predict", *arguments, "--no-cache")


def predicted(*arguments: str | Path) -> dict[str, Any]:
    outcome = predict(*arguments, "--quiet", "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    prediction: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(prediction, schema_of(JobPrediction, SCHEMA))
    return prediction


def simulated(folder: Path, *options: str) -> tuple[dict[str, Any], Path]:
    """What the program says of the Script above, and the Run that it leaves."""
    script, run = folder / "script", folder / "run"
    script.write_text(SCRIPT)
    command = [clearway_tool("clearway-simulate"), "--script", script, "--run", run, *options]
    outcome = run_command(command, {})
    assert outcome.exit_code == 0, outcome.says
    told: dict[str, Any] = json.loads(outcome.stdout)
    return told, run


def test_the_schema_in_the_documentation_is_this_one() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(JobPrediction, SCHEMA)


def test_speedups_are_by_the_fewest_ranks_with_the_first_algorithm() -> None:
    points = predicted(*GROMACS, "--ranks", "4,1", "--alltoall", "ordered,direct")["points"]
    assert [(point["alltoall"], point["ranks"]) for point in points] == [
        ("ordered", 1),
        ("ordered", 4),
        ("direct", 1),
        ("direct", 4),
    ]
    base = points[0]
    assert base["speedup"] == 1
    assert base["computing_share"] == 1
    for point in points:
        assert point["steps_per_s"] == pytest.approx(3 / (point["duration_ns"] * 1e-9))
        assert point["speedup"] == pytest.approx(point["steps_per_s"] / base["steps_per_s"])
        assert point["efficiency"] == pytest.approx(point["speedup"] / point["ranks"])


def test_faster_cores_and_links_make_faster_steps() -> None:
    options = (*GROMACS, "--ranks", "8", "--alltoall", "ordered", "--buffer", "deep")
    (slow,), (fast,) = (predicted(*options, "--rate", rate)["points"] for rate in ("1gbit", "10gbit"))
    assert fast["steps_per_s"] > slow["steps_per_s"]
    assert fast["computing_share"] > slow["computing_share"]


def test_the_same_seed_leaves_the_same_run(tmp_path: Path) -> None:
    runs = [tmp_path / name for name in ("first", "again", "other")]
    for run, seed in zip(runs, ("1", "1", "2"), strict=True):
        predicted(*GROMACS, "--ranks", "8", "--alltoall", "lam", "--run", run, "--seed", seed)
    first, again, other = ({file.name: file.read_bytes() for file in run.iterdir()} for run in runs)
    assert first == again
    assert first != other


def test_a_run_holds_the_calls_of_the_script(tmp_path: Path) -> None:
    """Counted from the Script's own activities, not from the simulation."""
    predicted(*GROMACS, "--ranks", "8", "--alltoall", "ordered", "--run", tmp_path / "run")
    run = load(tmp_path / "run")
    expected: dict[str, int] = {}
    for ranks, activity in make_script("gromacs33", "aqp1", 8, steps=3).activities():
        if activity.kind != "compute":
            name = f"MPI_{activity.kind.capitalize()}"
            expected[name] = expected.get(name, 0) + 3 * ranks
    counted: dict[str, int] = {}
    for function, count in zip(run.calls.function.tolist(), run.calls.data["count"].tolist(), strict=True):
        name = run.functions.all[function].name
        counted[name] = counted.get(name, 0) + count
    assert counted == expected


def test_a_run_over_rdma_has_no_sockets(tmp_path: Path) -> None:
    """Over TCP the same job has one for each pair of ranks, at both ends."""
    job = (*GROMACS, "--ranks", "8", "--alltoall", "ordered")
    predicted(*job, "--run", tmp_path / "tcp")
    predicted(*job, "--cluster", "infiniband-fdr", "--per-host", "1", "--run", tmp_path / "rdma")
    assert len(load(tmp_path / "tcp").sockets.data) > 0
    assert len(load(tmp_path / "rdma").sockets.data) == 0


def test_a_run_agrees_with_what_the_program_says(tmp_path: Path) -> None:
    told, directory = simulated(tmp_path, "--alltoall", "lam", "--skew-ns", "20000")
    assert told["timeouts"] > 0
    run = load(directory)
    assert int(run.sockets.data["total_retrans"].sum()) == told["resent"]
    assert int(run.sockets.data["total_rto"].sum()) == told["timeouts"]
    assert int(run.stalls.data["timeouts"].sum()) == told["timeouts"]
    books = account(run)
    assert books.mpi_s.tolist() == pytest.approx([mpi_ns * 1e-9 for mpi_ns in told["mpi_ns"]])
    assert books.ledger["wall_s"].tolist() == pytest.approx([told["duration_ns"] * 1e-9] * 8)
    assert sum(books.ledger[line] for line in LINES).tolist() == pytest.approx(books.ledger["wall_s"].tolist())
    assert books.ledger["mpi_stall_s"].sum() > 0.2, "a timeout stalls a rank for 200 ms at least"


def test_every_message_of_a_run_has_both_ends(tmp_path: Path) -> None:
    _, directory = simulated(tmp_path)
    run = load(directory)
    assert len(run.messages.sends) == 2 * 8 * 10
    assert len(run.posts.sends) == 8 * 10
    assert run.collectives.whole.all()
    assert len(run.collectives) == 10 * 7
    sent, received = run.events.entry_s[run.messages.sends], run.events.exit_s[run.messages.receives]
    assert (received > sent).all()


def test_the_page_says_that_nothing_ran_and_what_was_lost(tmp_path: Path) -> None:
    _, directory = simulated(tmp_path, "--alltoall", "lam", "--skew-ns", "20000")
    outcome = run_clearway("report", directory)
    assert outcome.exit_code == 0, outcome.says
    files = {name: tmp_path / f"page.{name}" for name in ("html", "json", "trace")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    written = run_clearway("report", directory, *options)
    assert written.exit_code == 0, written.says
    assert "This job did not run: it was predicted by clearway-simulate" in outcome.stdout
    page = json.loads(files["json"].read_text())
    assert page["findings"][0]["rule"] == "congestion-loss"
    assert len(json.loads(files["trace"].read_text())["traceEvents"]) > 8 * 10 * 9
    assert "eight that transpose" in files["html"].read_text()


def test_the_table_names_the_runs(tmp_path: Path) -> None:
    files = ("--plot", tmp_path / "speedup.svg", "--html", tmp_path / "speedup.html")
    outcome = predict(*GROMACS, "--ranks", "2,4", "--run", tmp_path / "runs", *files)
    assert outcome.exit_code == 0, outcome.says
    for name in ("2-direct", "2-ordered", "4-direct", "4-ordered"):
        assert f"clearway report {tmp_path}/runs/{name}" in outcome.stdout
        assert load(tmp_path / "runs" / name).job == "predicted"
    assert "speedup" in (tmp_path / "speedup.svg").read_text()
    page = (tmp_path / "speedup.html").read_text()
    assert "<svg" in page
    assert page.count('<td class="name">ordered</td>') == 2


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        ((), "nothing to predict", "--workload NAME"),
        (("alltoall", "--workload", "gromacs33"), "more than one thing to predict", "--workload NAME"),
        (("--workload", "fortran"), "there is no workload 'fortran'", "gromacs33"),
        (("--workload", "gromacs33:ice"), "the workload gromacs33 has no system 'ice'", "aqp1"),
        (("--workload", "gromacs33", "--ranks", "2,x"), "'2,x' is not a list of numbers of ranks", "--ranks 1,2"),
        (("--workload", "gromacs33", "--ranks", "8", "--hosts", "4"), "8 ranks do not fit on 4 hosts", "--ranks 4"),
        (("--workload", "gromacs33", "--sizes", "4k"), "--sizes is only for operations", "--help"),
        (("--workload", "gromacs33", "--alltoall", "ring"), "ring cannot do alltoall", "clearway schedule list"),
        (("--workload", "gromacs33", "--run", "/"), "'/' exists already", "does not exist yet"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], said: str, hint: str) -> None:
    outcome = predict(*arguments)
    assert outcome.exit_code != 0
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"error: {said}"), outcome.says
    assert hint in outcome.stderr.partition("\nhint: ")[2]


@pytest.mark.parametrize(
    ("script", "options", "said"),
    [
        ("clearway-script 1\nranks 2\nrank 0\nsend 1 5\n", (), "script: "),
        ("clearway-script 1\nranks 2\nrank 0\njump\n", (), "script, line 4: "),
        (SCRIPT, ("--hosts", "2"), "8 ranks need 8 hosts, but there are 2"),
        (SCRIPT, ("--places", "0,1"), "2 places do not fit 8 ranks"),
        (SCRIPT, ("--places", "0,0,0,0,2,2,2,2"), "hosts must be numbered from 0, and each needs a rank"),
        (SCRIPT, ("--places", "0,a"), "'0,a' is not a list of hosts"),
        (SCRIPT, ("--alltoall", "own"), "'own' is not an algorithm of Clearway's"),
    ],
)
def test_the_program_refuses(tmp_path: Path, script: str, options: tuple[str, ...], said: str) -> None:
    (tmp_path / "script").write_text(script)
    outcome = run_command([clearway_tool("clearway-simulate"), "--script", tmp_path / "script", *options], {})
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error: "), outcome.says
    assert said in outcome.stderr
