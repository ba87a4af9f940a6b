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
    page, facts = planted("late_init", 1.3)
    entries = [facts[rank]["entry_s"] for rank in facts]
    planted_s = sum(max(entries) - entry for entry in entries)
    assert planted_s > 0.9 * (RANKS - 1) * 1.3
    row = call(page, "MPI_Init")
    assert row["wait_s"] == pytest.approx(planted_s, rel=0.2), row
    assert page["ledger"]["mpi_wait_s"] > 0.9 * planted_s
    found = next(each for each in page["findings"] if each["rule"] == "late-start")
    assert found["says"].startswith("Rank 1 on")
    assert found["cost_s"] == pytest.approx(1.3, rel=0.25)  # the job was so much longer for it


@pytest.mark.timed
def test_a_rank_that_goes_on_is_waited_for_at_the_end(planted: Planted) -> None:
    page, facts = planted("late_end", 1.5)
    entries = [facts[rank]["entry_s"] for rank in facts]
    found = next(each for each in page["findings"] if each["rule"] == "late-end")
    assert found["says"].startswith("Rank 1 on")
    assert "It was mostly computing." in found["says"]
    planted_s = sum(max(entries) - entry for entry in entries) / RANKS
    assert found["cost_s"] <= planted_s * 1.05  # what others' programs held it up with is not its fault
    assert found["cost_s"] >= 0.8 * 1.5 * (RANKS - 1) / RANKS


@pytest.mark.timed
def test_ranks_that_end_together_have_no_such_finding(planted: Planted) -> None:
    assert "late-end" not in rules(planted("late_end", 0)[0])


# Each with the call that waits; the sender of a message is rank 0, which is late.
KINDS = {
    "ialltoall": "MPI_Wait",
    "neighbour": "MPI_Neighbor_alltoall",
    "probe": "MPI_Probe",
    "iprobe": "MPI_Iprobe",
    "test": "MPI_Test",
}
OF_MESSAGES = ("probe", "iprobe", "test")


def waited_s(facts: dict[int, dict[str, Any]], kind: str) -> float:
    """What the ranks stood in the call before all that they needed had come, as they measured it."""
    entries = [facts[rank][f"{kind}.entry_s"] for rank in sorted(facts)]
    comes = [entries[0][i] if kind in OF_MESSAGES else max(each[i] for each in entries) for i in range(len(entries[0]))]
    waits = [(facts[rank][f"{kind}.wait_s"], facts[rank][f"{kind}.exit_s"]) for rank in facts]
    return sum(max(min(come, end[i]) - begin[i], 0.0) for begin, end in waits for i, come in enumerate(comes))


@pytest.mark.timed
def test_every_kind_of_call_waits_for_the_late_rank(planted: Planted) -> None:
    page, facts = planted("waits", ",".join(KINDS), 0.04, 8)
    for kind, function in KINDS.items():
        planted_s, row = waited_s(facts, kind), call(page, function)
        assert planted_s > 0.25 * (RANKS - 1) * 8 * 0.04  # the others may have been held up as well
        # A loop of polls needs a core, which others may have: then the rank waits for that.
        near = 0.4 if "MPI_Test" in function or "probe" in function.lower() else 0.15
        assert row["wait_s"] == pytest.approx(planted_s, rel=near, abs=0.03), (kind, row)
        assert row["undivided_s"] < 0.1 * planted_s, (kind, row)


@pytest.mark.timed
def test_nobody_waits_where_nobody_is_late(planted: Planted) -> None:
    page, facts = planted("waits", ",".join(KINDS), 0, 8)
    for kind, function in KINDS.items():
        rows = [row for row in page["mpi_calls"] if row["function"] == function]
        assert sum(row["wait_s"] for row in rows) < waited_s(facts, kind) + 0.05, (kind, rows)
    assert not {"late-start", "load-imbalance"} & set(rules(page))
