"""Ranks that compute one after the other: said as that, with its cost; not of those that only pass something on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job

# With another test beside it each turn lasts longer on some rank, and by chance.
pytestmark = [pytest.mark.timed, pytest.mark.alone, pytest.mark.timeout(120)]

RANKS, TURNS, SECONDS = 2, 60, 0.02
TITLE = "Ranks take turns: each waits for the one before it"


def page_of(mpi: Mpi, programs: ProgramBuilder, folder: Path, way: str) -> dict[str, Any]:
    program = programs.build(mpi, "turns", "turns.c")
    outcome = run_job(mpi, [program, way, str(TURNS), str(SECONDS)], RANKS, folder / "run")
    assert outcome.exit_code == 0, outcome.says
    return load_page(folder / "run")


@pytest.mark.parametrize("way", ["ring", "line"])
def test_ranks_that_take_turns_are_said_to(way: str, debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    page = page_of(debian_mpi, programs, tmp_path, way)
    [found] = [each for each in page["findings"] if each["title"] == TITLE]
    # While one computes the other waits: in each turn of both, a rank loses as long as it computes.
    assert found["cost_s"] == pytest.approx(TURNS * SECONDS, rel=0.25)


@pytest.mark.parametrize("way", ["together", "pieces"])
def test_ranks_that_compute_at_the_same_time_take_none(
    way: str, debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    page = page_of(debian_mpi, programs, tmp_path, way)
    assert TITLE not in [each["title"] for each in page["findings"]]
