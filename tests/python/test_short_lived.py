"""The page's note on threads that are started again and again."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SECOND, TICKS, SegmentKind, world, write_all

from clearway.diagnosis.facts import open_case
from clearway.page.build.short_lived import short_lived
from clearway.run import load
from clearway.run.layout import THREAD_GONE


@pytest.mark.parametrize(
    ("number", "each_s", "lasts_s", "cpu_s", "said"),
    [
        (9, 1.0, 0.0, 0.001, True),
        (4, 2.0, 0.0, 0.001, False),  # a few
        (9, 0.1, 0.0, 0.001, False),  # all at the start
        (9, 1.0, 0.5, 0.001, False),  # seen twice
        (9, 1.0, 0.0, 0.02, False),  # they work
        (6, 1.4, 0.0, 0.0, True),  # too short to be met more often
    ],
)
def test_they_are_noted_where_they_are_seen_all_the_time(
    number: int, each_s: float, lasts_s: float, cpu_s: float, said: bool, tmp_path: Path
) -> None:
    ranks = world(2)
    for at in range(number):
        begin = TICKS + round((0.5 + at * each_s) * SECOND)
        times = {"first_ticks": begin, "last_ticks": begin + round(lasts_s * SECOND), "cpu_ns": round(cpu_s * SECOND)}
        ranks[1].add(SegmentKind.THREAD_USES, tid=200 + at, flags=THREAD_GONE, **times)
    found = short_lived(open_case(load(write_all(ranks, tmp_path))))
    assert bool(found) == said
    assert not said or f"Rank 1 starts threads again and again: {number} were seen, at {number} moments" in found[0]
