"""Programs that spend their time on clocks, locks and the like: the kernel's samples tell which."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command, run_job

from clearway.diagnosis.facts.overhead_kinds import KINDS
from clearway.run import load

OFTEN = ("clock", "allocation", "exceptions", "locks", "soft-numbers", "text")
OTHERS = ("complex-numbers", "environment", "random-numbers", "loading", "handing-out", "atomics")


def page_of(mpi: Mpi, programs: ProgramBuilder, directory: Path, kind: str, **environment: str) -> dict[str, Any]:
    program = programs.build(mpi, "overheads", "overheads.cpp", flags=("-fopenmp", "-O2"))
    asked = {"OMP_NUM_THREADS": "1", **environment}
    outcome = run_job(mpi, [str(program), kind, "3"], 1, directory, environment=asked)
    assert outcome.exit_code == 0, outcome.says
    refused = load(directory).fact("profile.errno")
    if refused:
        pytest.skip(f"the kernel does not sample here: {errno.errorcode[int(refused[0])]}")
    return load_page(directory)


def titles(page: dict[str, Any]) -> list[str]:
    return [found["title"] for found in page["findings"] if found["rule"] == "overhead"]


@pytest.mark.timed
@pytest.mark.parametrize("kind", [*OFTEN, *(pytest.param(kind, marks=pytest.mark.slow) for kind in OTHERS)])
def test_what_only_serves_is_named(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, kind: str) -> None:
    page = page_of(open_mpi, programs, tmp_path / "run", kind)
    assert titles(page) == [KINDS[kind].title]
    assert page["functions"][0]["share"] > 0.1


@pytest.mark.timed
def test_arithmetic_is_not(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page = page_of(open_mpi, programs, tmp_path / "run", "sound")
    assert titles(page) == []
    assert page["functions"][0]["file"].endswith("overheads")
    assert page["functions"][0]["share"] > 0.8


@pytest.mark.timed
def test_all_threads_are_sampled(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page = page_of(open_mpi, programs, tmp_path / "run", "atomics", OMP_NUM_THREADS="2")
    mine = [row for row in page["functions"] if row["kind"] == "atomics"]
    assert sum(row["time_s"] - row["main_s"] for row in mine) > 0.2 * sum(row["main_s"] for row in mine) > 0


def test_nothing_is_sampled_where_nobody_wants_it(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page = page_of(open_mpi, programs, tmp_path / "run", "sound", CLEARWAY_PROFILE="0")
    assert page["functions"] == []
    assert not load(tmp_path / "run").fact("profile.period_us")


def test_the_page_shows_them(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page_of(open_mpi, programs, tmp_path / "run", "text")
    shown = run_command([clearway_tool("clearway"), "report", tmp_path / "run"])
    assert "Processor time by function" in shown.stdout
    html = tmp_path / "page.html"
    assert run_command([clearway_tool("clearway"), "report", "--html", html, tmp_path / "run"]).exit_code == 0
    assert "Processor time by function" in html.read_text("utf-8")
