"""Parallel regions that are too short for their threads, on made jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules.test_threads import found, made, rank, team, thread

from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import thread_imbalance


def often(directory: Path, regions: int, first_s: float, **environment: str) -> Case:
    """As many regions in 8 s, in which the first thread works so long, and the second one 4 s."""
    one = rank()
    for name, value in environment.items():
        one.fact(f"environment.{name}", value)
    thread(one, 2, 4.0)
    team(one, 1, first_s, region_s=8.0, regions=regions)
    team(one, 2, 4.0)
    return made(directory, one)


@pytest.mark.parametrize(
    ("regions", "first_s", "title"),
    [
        (400_000, 4.0, thread_imbalance.TOO_SHORT),
        (4_000, 4.0, thread_imbalance.TITLE),  # of 2 ms: now this thread has more to do, now that one
        (400_000, 7.9, thread_imbalance.TITLE),  # short, but the first has twice as much to do
    ],
)
def test_threads_of_short_regions_wait_however_even_their_shares(
    regions: int, first_s: float, title: str, tmp_path: Path
) -> None:
    told = found(often(tmp_path, regions, first_s), "thread-imbalance")
    assert told is not None
    assert told.title == title
    assert ("With evenly divided work" in told.says) == (title == thread_imbalance.TITLE)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("OMP_WAIT_POLICY", "PASSIVE", True),
        ("OMP_WAIT_POLICY", "active", False),
        ("GOMP_SPINCOUNT", "0", True),
        ("KMP_BLOCKTIME", "200", False),
    ],
)
def test_a_variable_that_has_threads_sleep_is_named(name: str, value: str, said: bool, tmp_path: Path) -> None:
    told = found(often(tmp_path, 400_000, 4.0, **{name: value}), "thread-imbalance")
    assert told is not None
    assert ("threads sleep between regions" in told.says) == said
