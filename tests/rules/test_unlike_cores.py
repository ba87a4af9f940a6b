"""Hosts with fast and slow cores. This machine has none of the kind: the facts are made."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from python.made_runs import SegmentKind
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_kinds import kinds_of, on_slow_ones
from clearway.diagnosis.rules import unlike_cores

FAST_AND_SLOW = {
    "host.cores": "6",
    "cpufreq.highest_khz.0": "0-1:5200000 2-3:5000000",
    "cpufreq.highest_khz.1": "4-5:3900000",
}


def on_cores(directory: Path, places: list[str], computing_s: list[float], **more: str) -> Case:
    """Ranks that are bound, and compute so long in each of five steps; then all meet."""
    host = MadeHost(facts={**FAST_AND_SLOW, **more})
    world = [ranks_on(host, per_host=len(places), cpus=place)[number] for number, place in enumerate(places)]
    steps_of(world, computing_s)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "run.json").write_text(json.dumps({"command": ["mpirun", "-np", str(len(places)), "./md"]}))
    return case_of(world, directory, host)


def halves(directory: Path, costs: bool) -> Case:
    """Three ranks on fast cores, one on a slow one."""
    return on_cores(directory, ["0", "1", "2", "4"], [1.5, 1.5, 1.5, 2.0 if costs else 1.5])


def test_those_on_fast_cores_wait(tmp_path: Path) -> None:
    found = {one.finding.rule: one.finding for one in diagnose(halves(tmp_path, True))}
    assert list(found) == ["unlike-cores"]  # and none says that ranks have more to do
    told = found["unlike-cores"]
    assert told.cost_s == pytest.approx(3 * 2.5 / 4)
    assert "1 rank ran on slower cores (4-5 of node0)" in told.says
    [remedy] = told.remedies
    assert remedy.command == "taskset -c 0-3 mpirun -np 4 ./md"


def test_what_is_claimed_is_no_more_than_the_kinds_differ(tmp_path: Path) -> None:
    """Rank 0, on a fast core, has more to do than the others there; rank 3 as well, and a slow core."""
    case = on_cores(tmp_path, ["0", "1", "2", "4"], [1.9, 1.0, 1.0, 2.0])
    found = unlike_cores.examine(case)
    assert found is not None
    assert found.claims["imbalance_s"] == pytest.approx(5 * 3 * (2.0 - 1.3))


@pytest.mark.parametrize(
    ("places", "computing_s"),
    [
        (["0", "1", "2", "3"], [1.5, 1.5, 1.5, 2.0]),  # all on fast ones
        (["4", "5"], [1.5, 2.0]),  # all on slow ones
        (["0", "1", "2", "4"], [2.0, 1.5, 1.5, 1.5]),  # the late one is on a fast core
        (["0-5", "0-5", "0-5", "0-5"], [1.5, 1.5, 1.5, 2.0]),  # nobody knows where they were
    ],
)
def test_where_the_cores_are_not_why(places: list[str], computing_s: list[float], tmp_path: Path) -> None:
    assert unlike_cores.examine(on_cores(tmp_path, places, computing_s)) is None


def test_favoured_cores_are_no_kind(tmp_path: Path) -> None:
    host = MadeHost(facts={"cpufreq.highest_khz.0": "0-3:5000000 4-5:4600000"})
    [record] = case_of(ranks_on(host), tmp_path, host).run.hosts
    assert kinds_of(record) is None


def test_samples_say_where_a_rank_was_that_may_go_anywhere(tmp_path: Path) -> None:
    host = MadeHost(facts=FAST_AND_SLOW)
    world = ranks_on(host, per_host=2, cpus="0-5")
    steps_of(world, [1.5, 2.0])
    for rank, cpu in zip(world, (0, 5), strict=True):
        rank.add(SegmentKind.CONCURRENCY, samples=100)
        rank.add(SegmentKind.CORES, cpu=cpu, busy=75)
        rank.add(SegmentKind.CORES, cpu=1, busy=25)
    case = case_of(world, tmp_path, host)
    assert np.allclose(on_slow_ones(case), [0.0, 0.75])
    assert unlike_cores.examine(case) is not None
