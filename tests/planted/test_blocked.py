"""Ranks that are blocked outside MPI: the page names in what, and its seconds are what the program measured itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

RANKS = 2
SECONDS = "0.5"
# By the program's word for it: the activity on the page, and what its object looks like.
SAID = {
    "silent": ("receiving", r"127\.0\.0\.1:\d+"),
    "stranded": ("receiving", r"127\.0\.0\.1:\d+"),
    "lock": ("lock", r"/.*/db\.\d"),
    "pipe": ("full_pipe", "stdout"),
    "child": ("child", "blocked"),
    "napping": ("sleeping", ""),
}


def seconds_of(page: Mapping[str, Any], activity: str) -> float:
    return sum(row["seconds"] for row in page["blocked"] if row["activity"] == activity)


def test_what_ranks_are_blocked_in_has_its_name_its_object_and_its_time(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = [programs.build(open_mpi, "blocked", "blocked.c"), SECONDS, tmp_path / "db"]
    environment = {"TRUTH": str(tmp_path / "truth")}
    outcome = run_job(open_mpi, program, RANKS, tmp_path / "run", ["--sample-ms", "10"], environment)
    assert outcome.exit_code == 0, outcome.says
    page, truth = load_page(tmp_path / "run"), load_facts(tmp_path / "truth")

    for activity in {activity for activity, _ in SAID.values()}:
        ways = [way for way, (name, _) in SAID.items() if name == activity]
        true_s = sum(facts[way] for facts in truth.values() for way in ways)
        rows = [row for row in page["blocked"] if row["activity"] == activity]
        assert all(re.fullmatch(SAID[ways[0]][1], row["object"]) for row in rows if row["samples"] > 2), rows
        least = 0.2 if activity == "sleeping" else 0.6  # it also calls MPI, and wakes up for that
        assert least * true_s < seconds_of(page, activity) < 1.5 * true_s, rows

    named_s = sum(row["seconds"] for row in page["blocked"] if row["line"] == "other_s")
    assert named_s == pytest.approx(page["ledger"]["other_s"])
    assert seconds_of(page, "unnamed") < 0.05 * page["ledger"]["wall_s"]
    assert seconds_of(page, "lock") <= page["ledger"]["io_s"]
    assert "does not show what they waited for" not in page["sentence"]
    calls = {row["function"]: row["time_s"] for row in page["mpi_calls"]}
    for name in ("MPI_Init", "MPI_Finalize"):
        assert seconds_of(page, name) == pytest.approx(calls[name], rel=1e-3)


@pytest.mark.parametrize(("way", "kept_back"), [("small", True), ("slow", False), ("nodelay", None)])
def test_data_that_waits_for_an_acknowledgement_is_told_from_a_slow_answer(
    way: str, kept_back: bool | None, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = [programs.build(open_mpi, "kept_back", "kept_back.c"), "1.5", way]
    outcome = run_job(open_mpi, program, RANKS, tmp_path / "run", ["--sample-ms", "10"])
    assert outcome.exit_code == 0, outcome.says
    told = [each["says"] for each in load_page(tmp_path / "run")["findings"] if each["rule"] == "blocked"]
    assert any("TCP keeps back a small piece of data" in says for says in told) == bool(kept_back), told
    if kept_back is False:
        assert any("Look at the other end" in says for says in told), told
