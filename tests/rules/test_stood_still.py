"""A rank that is stopped for moments: its time is missing, and no sample tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SECOND, Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of, count, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import stood_still
from clearway.run.layout import Activity, Place

RANKS = 4


def sampled(rank: Rank, running: int, blocked: int) -> None:
    for activity, number in ((Activity.RUNNING, running), (Activity.BLOCKED, blocked)):
        rank.add(SegmentKind.ACTIVITIES, activity=activity, place=Place.OUTSIDE, samples=number)


def missing(directory: Path, running: int, blocked: int, steal_ms: int = 0) -> Case:
    """Of 10 s, rank 0 was blocked outside MPI for 5, while the others waited for it."""
    world = ranks_on(MadeHost(), per_host=RANKS)
    steps_of(world, (2.0, 1.0, 1.0, 1.0))
    world[0].thread["blocked_outside_ns"] = 5 * SECOND
    sampled(world[0], running, blocked)
    return case_of(world, directory, MadeHost(counters={"cpu.steal_ms": steal_ms}))


def held(directory: Path, costs: bool) -> Case:
    """Without cost, others wait for it as little as it for them."""
    if costs:
        return missing(directory, running=50, blocked=0)
    world = ranks_on(MadeHost(), per_host=RANKS)
    steps_of(world, (2.0, 2.0, 2.0, 2.0))
    world[0].thread["blocked_outside_ns"] = 5 * SECOND
    sampled(world[0], 50, 0)
    return case_of(world, directory, MadeHost())


def test_what_no_sample_saw_was_stopped_from_outside(tmp_path: Path) -> None:
    [first, *_] = diagnose(held(tmp_path, True))
    assert first.finding.rule == "stood-still"
    assert "Rank 0 on node0 stood still outside MPI for 50.0 % of the time" in first.finding.says
    assert "cpulimit" in first.finding.says
    assert first.finding.share == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("running", "blocked"), [(30, 25), (8, 0), (0, 0)], ids=["seen blocked", "too few looks", "none"]
)
def test_where_samples_may_tell_or_are_too_few_nothing_is_said(running: int, blocked: int, tmp_path: Path) -> None:
    assert stood_still.examine(missing(tmp_path, running, blocked)) is None


def test_steal_is_the_hypervisors(tmp_path: Path) -> None:
    found = stood_still.examine(missing(tmp_path, 50, 0, steal_ms=4900))
    assert found is not None
    assert found.title == "The hypervisor takes the ranks' processors away"
    assert "cpulimit" not in found.says


def test_a_quota_has_a_rule_of_its_own(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=RANKS)
    steps_of(world, (2.0, 1.0, 1.0, 1.0))
    world[0].thread["blocked_outside_ns"] = 5 * SECOND
    world[0].fact("process.cgroup_cpus", "0.500")
    count(world[0], "process.cgroup_throttled_us", 5_000_000)
    sampled(world[0], 50, 0)
    assert stood_still.examine(case_of(world, tmp_path, MadeHost())) is None
