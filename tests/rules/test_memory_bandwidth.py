"""memory-bandwidth: ranks that compute longer beside more ranks, from Runs on several numbers of ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.computing_together import DIVIDED
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import memory_bandwidth
from clearway.engines import Engine


def computing(directory: Path, ranks: int, step_s: float, command: str = "md in", hosts: int = 1) -> Case:
    """Ranks that compute five steps of so long."""
    made = [MadeHost(f"node{number}") for number in range(hosts)]
    world = ranks_on(*made, per_host=ranks // hosts)
    steps_of(world, [step_s] * len(world))
    for rank in world:
        rank.fact("process.command_line", command)
    return case_of(world, directory / f"on{ranks}", *made)


def together(directory: Path, costs: bool, alone_s: float = 1.0, command: str = "md in", hosts: int = 1) -> Case:
    """On four ranks each computes twice as long as on two; without cost as long."""
    fewer = computing(directory, 2, alone_s, hosts=hosts)
    return replace(computing(directory, 4, 2.0 if costs else 1.0, command), others=[fewer])


def finding(case: Case) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == "memory-bandwidth"), None)


def test_what_a_rank_computes_longer_is_lost(tmp_path: Path) -> None:
    found = finding(together(tmp_path, True))
    assert found is not None
    assert found.cost_s == pytest.approx(5.0)
    assert "2.00 times as long by 4 ranks as by 2" in found.says
    assert [remedy.expected_gain_s for remedy in found.remedies] == []


def test_a_fifth_longer_may_be_chance_or_the_clock(tmp_path: Path) -> None:
    assert memory_bandwidth.examine(together(tmp_path, True, alone_s=1.7)) is None


def test_another_command_and_other_machines_are_not_compared(tmp_path: Path) -> None:
    assert memory_bandwidth.examine(together(tmp_path / "command", True, command="md other")) is None
    assert memory_bandwidth.examine(together(tmp_path / "hosts", True, hosts=2)) is None


def test_where_the_engine_tells_its_speed_all_ranks_together_count(tmp_path: Path) -> None:
    """Four ranks that take as long for a step as two compute twice as much for it; at half the time, as much."""
    for step_s, slower in ((0.1, 2.0 / DIVIDED), (0.05, None)):
        two, four = (
            replace(case, tables=replace(case.tables, engine=Engine("LAMMPS", "log.lammps", None, each_s, None)))
            for case, each_s in (
                (computing(tmp_path / str(step_s), 2, 1.0), 0.1),
                (computing(tmp_path / str(step_s), 4, 10 * step_s), step_s),
            )
        )
        found = memory_bandwidth.examine(replace(four, others=[two]))
        assert (found is None) == (slower is None)
        if found is not None and slower is not None:
            assert found.claims["compute_s"] == pytest.approx(4 * 5.0 * (1 - 1 / slower))


def test_one_run_alone_tells_nothing(tmp_path: Path) -> None:
    assert memory_bandwidth.examine(computing(tmp_path, 4, 2.0)) is None
