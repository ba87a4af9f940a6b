"""small-accesses: many one-sided calls that move a few bytes each."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import small_accesses
from clearway.run import load


def accessing(directory: Path, costs: bool = True, calls: int = 20_000, each_bytes: int = 160, fences: int = 3) -> Case:
    """Two ranks that add to each other's memory, in 4 of 10 s, with a lock for each call."""
    ranks = world(2)
    for rank in ranks:
        spent_s = 1.0 if costs else 0.02
        rank.cell("MPI_Accumulate", 3 * spent_s, count=calls, nbytes=calls * each_bytes, peer=1 - rank.rank)
        rank.cell("MPI_Win_unlock", spent_s, count=calls, peer=1 - rank.rank)
        rank.cell("MPI_Win_fence", spent_s, count=fences)
    return open_case(load(write_all(ranks, directory)))


def test_the_time_of_small_accesses_and_their_locks_is_claimed(tmp_path: Path) -> None:
    found = small_accesses.examine(accessing(tmp_path))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 4.0, rel=0.01)  # fences are of no single access
    assert "40,000 accesses to the memory of other ranks moved 160 B each, most of them by MPI_Accumulate" in found.says


def test_a_fence_around_each_access_is_of_a_single_one(tmp_path: Path) -> None:
    found = small_accesses.examine(accessing(tmp_path, fences=20_000))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 5.0, rel=0.01)
    assert "one fence for many calls" in found.says


@pytest.mark.parametrize(("calls", "each_bytes"), [(20_000, 4096), (900, 160)])
def test_large_ones_and_a_few_are_what_a_program_needs(calls: int, each_bytes: int, tmp_path: Path) -> None:
    assert small_accesses.examine(accessing(tmp_path, calls=calls, each_bytes=each_bytes)) is None
