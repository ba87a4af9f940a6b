"""`clearway predict --vary`: every value with every other, each once, and kept where that is asked for."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY
from harness.outcome import Outcome

from clearway.base.schema import schema_of
from clearway.predict.sweep.outcome import SCHEMA, SweepOutcome

SMALL = ("predict", "alltoall", "--hosts", "3", "--sizes", "2Ki", "--calls", "2", "--algorithms", "direct", "-q")


def swept(*words: str | Path) -> Outcome:
    return run_clearway(*SMALL, "--no-cache", *words)


def told(outcome: Outcome) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(outcome.stdout)
    jsonschema.validate(tree, schema_of(SweepOutcome, SCHEMA))
    return tree


def test_the_schema_in_the_documentation_is_this_one() -> None:
    text = (REPOSITORY / f"docs/json-schema/{SCHEMA}.json").read_text()
    assert json.loads(text) == schema_of(SweepOutcome, SCHEMA)


def test_every_value_with_every_other(tmp_path: Path) -> None:
    """And each is the prediction that its own options make."""
    outcome = swept("--vary", "rate=1gbit,10gbit", "--vary", "seed=1-3", "--csv", tmp_path / "s.csv", "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    sweep = told(outcome)
    asked = [tuple(one["settings"].values()) for one in sweep["predictions"]]
    assert asked == [(rate, seed) for rate in ("1gbit", "10gbit") for seed in ("1", "2", "3")]
    alone = json.loads(swept("--rate", "10gbit", "--seed", "2", "--json", "-").stdout)
    assert sweep["predictions"][4]["operation"] == alone
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    assert [row["seed"] for row in rows] == ["1", "2", "3"] * 2
    assert float(rows[4]["mean_bytes_per_s"]) == alone["points"][0]["mean_bytes_per_s"]


def test_settings_of_the_stack_and_jobs() -> None:
    outcome = swept("--vary", "set=mpi.kilobyte=1us,mpi.kilobyte=99us", "--set", "tcp.initial_window=3", "--json", "-")
    fast, slow = (one["operation"] for one in told(outcome)["predictions"])
    assert fast["points"][0]["calls_ns"] < slow["points"][0]["calls_ns"]
    assert fast["request"]["stack"]["initial_window"] == 3
    job = (
        "predict",
        "--workload",
        "gromacs33",
        "--ranks",
        "2",
        "--steps",
        "1",
        "--alltoall",
        "lam",
        "--no-cache",
        "-q",
    )
    outcome = run_clearway(*job, "--vary", "latency-us=5,50", "--json", "-")
    assert [one["job"]["points"][0]["ranks"] for one in told(outcome)["predictions"]] == [2, 2]


def test_one_that_cannot_be_made_does_not_keep_the_others_from_it() -> None:
    outcome = swept("--vary", "hosts=0,3", "--json", "-")
    assert outcome.exit_code == 1
    faults = [one["fault"] for one in told(outcome)["predictions"]]
    assert faults == ["--hosts, --per-host and --rto-min-ms must be at least 1", ""]


def test_what_is_kept_is_not_made_again(tmp_path: Path) -> None:
    place = tmp_path / "kept"
    first = swept("--vary", "seed=1-4", "-o", place, "--json", "-")
    (journal,) = place.glob("results-*.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 4
    journal.write_text("".join(lines[:2]) + lines[2][:50])  # as a crash leaves it
    again = run_clearway("predict", "--resume", place, "-q", "--json", "-")
    assert json.loads(again.stdout) == json.loads(first.stdout)
    made = [json.loads(line)["piece"] for path in place.glob("results-*") for line in path.open() if line[-1:] == "\n"]
    assert len(made) >= 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--vary", "colour=1,2"), "there is no option --colour"),
        (("--vary", "json=1,2"), "cannot be varied"),
        (("--vary", "seed"), "is not NAME=VALUE,VALUE"),
        (("--vary", "seed=1,,2"), "is not NAME=VALUE,VALUE"),
        (("--vary", "hosts=a,b"), "is not a whole number"),
        (("--vary", "seed=1-90000", "--vary", "rate=1gbit,2gbit"), "180,000 predictions"),
        (("--vary", "seed=1-2", "--plot", "a.svg"), "is only for one prediction"),
        (("--csv", "a.csv"), "needs a sweep"),
        (("--vary", "seed=1-2", "--watch"), "needs --submit or --resume"),
        (("--vary", "seed=1-2", "--submit=--array=1-2"), "Clearway sets that itself"),
    ],
)
def test_what_makes_no_sense(words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clearway.queue.submission.require", lambda: None)
    outcome = swept(*words)
    assert outcome.exit_code != 0
    assert message in outcome.stderr
    assert "hint:" in outcome.stderr


def test_nothing_can_be_submitted_without_slurm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    outcome = swept("--vary", "seed=1-2", "--submit=--time=5", "-o", tmp_path / "s")
    assert "there is no 'sbatch'" in outcome.stderr
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("command", ["predict", "compare"])
def test_what_slurm_refuses_leaves_nothing_behind(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    for program, does in (("sbatch", "echo 'sbatch: error: no such partition' >&2; exit 1"), ("squeue", "exit 0")):
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin", prepend=":")
    for place in ("new", "empty"):
        folder = tmp_path / place
        folder.mkdir() if place == "empty" else None
        words = ("--vary", "seed=1-2") if command == "predict" else ("--ranks", "1,2")
        job = ("--", "srun", "-n", "2", "sleep", "0") if command == "compare" else ()
        what = (command, "alltoall") if command == "predict" else (command,)
        outcome = run_clearway(*what, *words, "--submit=--time=5", "-o", folder, *job)
        assert outcome.exit_code == 1
        assert outcome.stderr.startswith("error: Slurm refuses the job: no such partition"), outcome.says
        assert not folder.exists()
