"""Processors below their clock, and ranks on the hardware threads of one core."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import hyper_threads, shared_core, slow_clock

FAST = {"host.cores": "4", "cpufreq.cpuinfo_max_freq_khz": "4000000", "cpufreq.scaling_governor": "powersave"}
BUSY = {"cpu.user_ms": 36_000, "cpu.idle_ms": 4_000}
SIBLINGS = {"host.cores": "8", "topology.siblings.0": "0,4 1,5 2,6", "topology.siblings.1": "3,7"}


def finding(case: Case, rule: str) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == rule), None)


def clocked(directory: Path, costs: bool, mean_khz: int = 0, limit_khz: int = 0, **counters: int) -> Case:
    """Four ranks that compute for 10 s at 1.6 GHz of 4; without cost at 3.2, as all cores of a socket do."""
    khz = mean_khz or (1_600_000 if costs else 3_200_000)
    sampled = {"cpufreq.samples": 10, "cpufreq.sum_khz": 10 * khz}
    told = {name.replace("__", "."): value for name, value in counters.items()}
    host = MadeHost(facts={**FAST, "cpufreq.scaling_max_freq_khz": str(limit_khz or 4_000_000)})
    host.counters = {**BUSY, **sampled, **told}
    world = ranks_on(host, per_host=4)
    steps_of(world, [2.0] * 4)
    return case_of(world, directory, host)


def test_a_clock_at_two_fifths_costs_three_fifths_at_most(tmp_path: Path) -> None:
    found = finding(clocked(tmp_path, True), "slow-clock")
    assert found is not None
    assert found.cost_s == pytest.approx(6.0)
    assert "run at 1,600 MHz of 4,000" in found.says
    [remedy] = found.remedies
    assert remedy.needs_root
    assert remedy.command == "sudo cpupower frequency-set --governor performance --max 4000000kHz"


def test_a_limit_that_somebody_set(tmp_path: Path) -> None:
    found = finding(clocked(tmp_path, False, limit_khz=2_000_000), "slow-clock")
    assert found is not None
    assert "a limit is set" in found.says
    assert found.cost_s == pytest.approx(5.0)


def test_heat(tmp_path: Path) -> None:
    found = finding(clocked(tmp_path, False, cpu__package_throttled_ms=3_000), "slow-clock")
    assert found is not None
    assert "because of heat" in found.says
    assert found.remedies == ()


def test_processors_that_are_idle_are_slow_for_that(tmp_path: Path) -> None:
    assert slow_clock.examine(clocked(tmp_path, True, cpu__idle_ms=400_000)) is None


def threads_of_cores(directory: Path, costs: bool, *cpus: str, siblings: dict[str, str] | None = None) -> Case:
    """Two ranks on the two hardware threads of core 0, of four; without cost they wait in MPI for all of the time."""
    host = MadeHost(facts=SIBLINGS if siblings is None else siblings)
    masks = cpus or ("0", "4")
    world = [Rank(number, len(masks), machine=host.machine) for number in range(len(masks))]
    for rank, mask in zip(world, masks, strict=True):
        rank.fact("process.cpus_allowed", mask)
    steps_of(world, [2.0] * len(masks))
    if not costs:
        for rank in world:
            rank.thread["blocked_outside_ns"] = 9_900_000_000
    return case_of(world, directory, host)


def test_two_ranks_on_one_core_while_another_is_free(tmp_path: Path) -> None:
    case = threads_of_cores(tmp_path, True)
    assert shared_core.examine(case) is None
    found = finding(case, "hyper-threads")
    assert found is not None
    assert found.cost_s == pytest.approx(3.5)
    assert "3 cores of the same machines have no rank" in found.says


def test_where_threads_of_a_core_are_no_fault(tmp_path: Path) -> None:
    everything = [str(cpu) for cpu in range(8)]
    assert hyper_threads.examine(threads_of_cores(tmp_path / "all", True, *everything)) is None
    assert hyper_threads.examine(threads_of_cores(tmp_path / "apart", True, "0", "1")) is None
    assert hyper_threads.examine(threads_of_cores(tmp_path / "unbound", True, "0-7", "0-7")) is None
    assert hyper_threads.examine(threads_of_cores(tmp_path / "cores", True, "0,4", "1,5")) is None
    none = {"host.cores": "8"}
    assert hyper_threads.examine(threads_of_cores(tmp_path / "none", True, siblings=none)) is None
