"""`clearway list` and `clearway diff` of jobs that ran: a rank sleeps before each barrier, or does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import run_job

TURNS, SLEEPS_S = 20, 0.15


def test_a_sleeping_rank_is_what_sets_two_jobs_apart(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    program = programs.build(open_mpi, "late_rank", "late_rank.c")
    for name, late_s, binding in (("a", 0.0, "true"), ("b", SLEEPS_S, "close")):
        words = [program, "sleep", str(late_s), str(TURNS)]
        bound = {"OMP_PROC_BIND": binding}
        outcome = run_job(open_mpi, words, 2, tmp_path / "runs" / name, environment=bound, directory=tmp_path)
        assert outcome.exit_code == 0, outcome.says

    _, _, *lines = run_clearway("list", tmp_path / "runs").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["a", "b"]
    assert all("late_rank" in line for line in lines)

    runs = [tmp_path / "runs" / name for name in "ab"]
    assert run_clearway("diff", *runs).stdout.splitlines()[2].startswith("B cannot be compared with A: the work may")
    outcome = run_clearway("diff", *runs, "--same-work", "--json", "-")
    assert outcome.exit_code == 0, outcome.says
    made = json.loads(outcome.stdout)
    # Rank 0 slept for three seconds, and the other waited for it.
    blocked = next(part for part in made["causes"] if part["key"] == "blocked_s")
    assert blocked["more_s"] > 0.5 * TURNS * SLEEPS_S / 2
    assert made["sentence"].startswith("B was ")
    assert blocked["label"] in made["sentence"]
    changed = {(change["kind"], change["name"]): (change["a"], change["b"]) for change in made["changes"]}
    assert changed == {
        ("variable", "OMP_PROC_BIND"): (["true"], ["close"]),
        ("program's option", "argument 2"): (["0.0"], ["0.15"]),
    }
