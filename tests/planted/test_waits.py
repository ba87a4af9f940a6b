"""Who waited for whom, and for how long, whatever the MPI call: what the programs measured on themselves is the truth.

Rank 0 is late and the others wait for it; and twins in which nobody is late, and nothing may be found.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

RANKS = 3
Planted = Callable[..., tuple[dict[str, Any], dict[int, dict[str, Any]]]]


@pytest.fixture
def planted(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Planted:
    """Runs one of the programs; gives the page, and by rank what was measured."""

    def run(name: str, *arguments: object) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
        program = [programs.build(debian_mpi, name, f"{name}.c"), *map(str, arguments)]
        outcome = run_job(debian_mpi, program, RANKS, tmp_path / "run", environment={"TRUTH": str(tmp_path / "truth")})
        assert outcome.exit_code == 0, outcome.says
        return load_page(tmp_path / "run"), load_facts(tmp_path / "truth")

    return run


def call(page: dict[str, Any], function: str) -> dict[str, Any]:
    row: dict[str, Any] = next(row for row in page["mpi_calls"] if row["function"] == function)
    return row


def rules(page: dict[str, Any]) -> list[str]:
    return [found["rule"] for found in page["findings"]]


@pytest.mark.timed
def test_a_rank_late_to_init_is_waited_for(planted: Planted) -> None:
    page, facts = planted("late_init", 1.5)
    entries = [facts[rank]["entry_s"] for rank in facts]
    planted_s = sum(max(entries) - entry for entry in entries)
    assert planted_s > 2 * 1.4
    row = call(page, "MPI_Init")
    assert row["wait_s"] == pytest.approx(planted_s, rel=0.1), row
    assert page["ledger"]["mpi_wait_s"] > 0.9 * planted_s
    assert rules(page)[0] == "late-start"
    assert "Rank 1 on" in page["findings"][0]["says"]
    # The job was so much longer for it.
    assert page["findings"][0]["cost_s"] == pytest.approx(1.5, rel=0.25)


@pytest.mark.timed
def test_ranks_that_come_together_to_init_are_no_fault(planted: Planted) -> None:
    assert "late-start" not in rules(planted("late_init", 0)[0])
