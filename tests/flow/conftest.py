"""Jobs with --flow on pretended hosts: one machine whose ranks belong to several."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import Outcome, load_page, run_job

RANKS = 4

Flowing = Callable[..., tuple[Outcome, list[dict[str, Any]]]]


@pytest.fixture
def flowing(programs: ProgramBuilder, run_directory: Path) -> Flowing:
    """Runs tests/programs/collective_loop.c with `words` and gives its outcome and the page's rows on flow."""

    def run(
        mpi: Mpi, *words: str, options: Sequence[str] = ("--flow",), hosts: int = RANKS, **environment: str
    ) -> tuple[Outcome, list[dict[str, Any]]]:
        program = programs.build(mpi, "collective_loop", "collective_loop.c")
        environment["CLEARWAY_FLOW_HOSTS"] = str(hosts)
        shutil.rmtree(run_directory, ignore_errors=True)  # of a job before
        outcome = run_job(mpi, [program, *words], RANKS, run_directory, options, environment)
        rows: list[dict[str, Any]] = load_page(run_directory)["flow"]
        return outcome, rows

    return run
