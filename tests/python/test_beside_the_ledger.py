"""What the page's first sentence says of work that is in none of the ledger's lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.host_jobs import MadeHost, case_of, count, ranks_on, steps_of

from clearway.diagnosis.facts import Case
from clearway.page.build import page_of
from clearway.page.build.beside_the_ledger import before_calls, by_children

SECOND_NS = 10**9


def stepping(directory: Path, children_s: float = 0.0) -> Case:
    """Five steps of two seconds."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        count(rank, "process.children_cpu_ns", round(children_s * SECOND_NS))
    return case_of(world, directory, MadeHost())


@pytest.mark.parametrize(("children_s", "said"), [(4.0, True), (0.2, False)])
def test_what_children_computed_is_said(tmp_path: Path, children_s: float, said: bool) -> None:
    case = stepping(tmp_path, children_s)
    assert bool(by_children(case)) == said
    assert ("computed for another 8.00 s, 40.0 % of that time" in page_of(case).sentence) == said


@pytest.mark.parametrize(
    ("ranks", "before_s", "step_s", "said"),
    [
        pytest.param(2, 4.0, 0.1, True, id="long"),
        pytest.param(1, 4.0, 0.1, False, id="one rank meets nobody"),
        pytest.param(2, 4.0, 2.0, False, id="a step is nearly as long"),
        pytest.param(2, 1.5, 0.1, False, id="a moment"),
    ],
)
def test_a_long_time_before_ranks_meet_is_said(
    tmp_path: Path, ranks: int, before_s: float, step_s: float, said: bool
) -> None:
    world = ranks_on(MadeHost(), per_host=ranks)
    for step in range(6):
        for rank in world:
            rank.collective("MPI_Allreduce", before_s + step * step_s, before_s + step * step_s, seq=step)
            rank.end_s = before_s + 6 * step_s
    told = before_calls(case_of(world, tmp_path, MadeHost()))
    assert told.startswith(" The first 4.00 s (87.0 %) went by before any rank") == said, told


def test_a_rank_that_waits_for_the_one_that_prepares_has_begun(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2)
    world[0].collective("MPI_Bcast", 4.0, 4.0)
    world[1].collective("MPI_Bcast", 0.1, 4.0)
    assert not before_calls(case_of(world, tmp_path, MadeHost()))
