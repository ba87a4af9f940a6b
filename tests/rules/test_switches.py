"""several-switches: hosts that Slurm says are on two switches, and a way between these that carries less."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from rules.network_jobs import Job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.between_switches import between_switches

SLOW = {"busy_time_us": 8_000_000, "rtt_us": 60_000}  # 100 MB at 12.5 MB/s
SOUND = {"busy_time_us": 2_600_000, "rtt_us": 20_000}


def on_two_switches(
    directory: Path, costs: bool, hosts: int = 4, across: dict[str, int] = SLOW, address: str = "top.leaf{}.node{}"
) -> Case:
    """Half of the hosts on either switch; without cost they hardly move data."""
    job = Job(hosts=hosts, moving_s=8.0 if costs else 0.05)
    leaf = [1 if number < hosts // 2 else 2 for number in range(hosts)]
    for first, second in combinations(range(hosts), 2):
        figures = SOUND if leaf[first] == leaf[second] else across
        job.connect(first, second, back=figures, **figures)
    job.facts = {
        number + 1: {"batch.SLURM_TOPOLOGY_ADDR": address.format(leaf[number], number + 1)} for number in range(hosts)
    }
    for rank in job.ranks:
        rank.fact("environment.SLURM_JOB_ID", "7")
    return job.case(directory)


def test_the_way_between_them_is_told_with_its_remedy(tmp_path: Path) -> None:
    (first, *_) = diagnose(on_two_switches(tmp_path, True))
    assert first.finding.rule == "several-switches"
    assert "hosts of 2 switches" in first.finding.says
    assert [(each.id, each.command) for each in first.finding.remedies] == [("one-switch", "sbatch --switches=1 …")]
    assert first.finding.cost_s == pytest.approx(8.0 * (1 - 2.6 / 8), rel=0.1), "each rank moves 300 MB in 8 s"


def test_without_a_host_on_the_same_switch_the_cards_tell(tmp_path: Path) -> None:
    found = between_switches(on_two_switches(tmp_path, True, hosts=2))
    assert found is not None
    assert not found.compared_within
    assert found.sound_bytes_per_s == pytest.approx(117.7e6, rel=0.01)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"across": SOUND},  # a way as good as within
        {"across": {**SLOW, "rtt_us": 300}},  # slower, but no queue: the ranks send little at a time
        {"address": "leaf1.node{1}"},  # one switch
        {"address": "node{1}"},  # Slurm knows of no topology
    ],
)
def test_where_it_is_something_else(tmp_path: Path, otherwise: dict[str, object]) -> None:
    case = on_two_switches(tmp_path, True, **otherwise)  # type: ignore[arg-type]
    assert between_switches(case) is None
