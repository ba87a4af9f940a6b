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
    ("ranks", "steps", "said"),
    [(2, 1, True), (1, 1, False), (2, 5, False)],
)
def test_a_long_time_before_ranks_meet_is_said(tmp_path: Path, ranks: int, steps: int, said: bool) -> None:
    """All of the only step lies before its call; a fifth of five steps; one rank meets nobody."""
    world = ranks_on(MadeHost(), per_host=ranks)
    steps_of(world, [4.0] * ranks, steps=steps)
    told = before_calls(case_of(world, tmp_path, MadeHost()))
    assert told.startswith(" The first 4.00 s (100.0 %) went by before any rank") == said, told
