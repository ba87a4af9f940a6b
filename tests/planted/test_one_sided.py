"""One-sided calls wait for a target that computes: as long as the program itself measured."""

from __future__ import annotations

import pytest
from harness.mpis import Mpi
from planted.test_waits import Planted, call, planted, rules, waited_s

__all__ = ["planted"]  # a fixture

LATE_S, TURNS = 0.04, 12


@pytest.mark.timed
def test_all_wait_at_a_fence_for_the_late_rank(planted: Planted) -> None:
    page, facts = planted("waits", "fence", -LATE_S, TURNS)
    planted_s = waited_s(facts, "fence")
    assert planted_s > TURNS * LATE_S
    assert call(page, "MPI_Win_fence")["wait_s"] == pytest.approx(planted_s, rel=0.15, abs=0.03)
    assert "load-imbalance" in rules(page)


@pytest.mark.timed
@pytest.mark.alone  # without a core they would wait for that
def test_an_unlock_waits_for_its_target_where_the_mpi_needs_it(debian_mpi: Mpi, planted: Planted) -> None:
    page, facts = planted("waits", "unlock", -LATE_S, TURNS)
    planted_s = waited_s(facts, "unlock")
    needs_it = debian_mpi.name.startswith("mpich")  # Open MPI reaches into memory of the same host
    assert (planted_s > 0.5 * TURNS * LATE_S) == needs_it
    rows = [row for row in page["mpi_calls"] if row["function"] in ("MPI_Win_lock", "MPI_Win_unlock")]
    assert sum(row["wait_s"] for row in rows) == pytest.approx(planted_s, rel=0.2, abs=0.05)
    assert sum(row["undivided_s"] for row in rows) < 0.1 * planted_s + 0.02


@pytest.mark.timed
@pytest.mark.alone
@pytest.mark.parametrize(
    ("kind", "functions"),
    [
        ("post", ("MPI_Win_start", "MPI_Win_complete")),
        ("file", ("MPI_File_open",)),
        ("accept", ("MPI_Comm_connect",)),
    ],
)
def test_all_wait_for_the_late_rank_whatever_they_do_together(
    debian_mpi: Mpi, planted: Planted, kind: str, functions: tuple[str, ...]
) -> None:
    if kind == "accept" and debian_mpi.name.startswith("mpich"):
        pytest.skip("Debian's MPICH opens no port here")
    page, facts = planted("waits", kind, -LATE_S, TURNS)
    planted_s = waited_s(facts, kind)
    assert planted_s > TURNS * LATE_S
    rows = [row for row in page["mpi_calls"] if row["function"] in functions]
    assert sum(row["wait_s"] for row in rows) == pytest.approx(planted_s, rel=0.2, abs=0.05), rows
    assert sum(row["undivided_s"] for row in rows) < 0.1 * planted_s + 0.02
    assert "load-imbalance" in rules(page)
