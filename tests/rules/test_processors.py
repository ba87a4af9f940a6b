"""Processors below their clock, and ranks on the hardware threads of one core."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from python.made_runs import SECOND, TICKS, Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.one_thread_a_core import one_thread_a_core
from clearway.diagnosis.rules import hyper_threads, shared_core, slow_clock
from clearway.job.change import Change

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


def threads_of_cores(
    directory: Path, costs: bool, *cpus: str, siblings: dict[str, str] | None = None, library: str = ""
) -> Case:
    """Two ranks on the two hardware threads of core 0, of four; without cost they wait in MPI for all of the time."""
    host = MadeHost(facts=SIBLINGS if siblings is None else siblings)
    masks = cpus or ("0", "4")
    world = [Rank(number, len(masks), machine=host.machine) for number in range(len(masks))]
    for rank, mask in zip(world, masks, strict=True):
        rank.fact("process.cpus_allowed", mask)
        if library:
            rank.fact("mpi.library", library)
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


def threaded(directory: Path, of_rank: str, *of_threads: str, mpirun: bool = False) -> Case:
    """A rank on a host of four cores with two hardware threads each; its threads compute for all of the 10 s.

    What it and each of its threads may use, as the kernel writes it.
    """
    host = MadeHost(facts={**SIBLINGS, "topology.cores": "4"})
    one = Rank(0, 1, machine=host.machine, end_s=10.0, thread={"tid": 1, "cpu_ns": 10 * SECOND})
    one.fact("process.cpus_allowed", of_rank)
    for tid, cpus in enumerate(of_threads, 1):
        ticks = {"first_ticks": TICKS, "last_ticks": TICKS + 10 * SECOND}
        one.add(SegmentKind.THREAD_USES, tid=tid, cpu_ns=10 * SECOND, cpus_allowed=cpus.encode(), name=b"md", **ticks)
    directory.mkdir(parents=True, exist_ok=True)
    if mpirun:
        one.fact("mpi.library", "Open MPI v4.1.4")
        words = ["mpirun.openmpi", "-np", "1", "./md"]
        (directory / "run.json").write_text(json.dumps({"command": words}))
    return case_of([one], directory, host)


@pytest.mark.parametrize("masks", [("0,4", "0,4", "0,4"), ("0-7", "0", "4"), ("0,1,4,5", "0,4", "0,4", "1,5", "1,5")])
def test_threads_on_fewer_cores_than_they_are(masks: tuple[str, ...], tmp_path: Path) -> None:
    """Bound by the launcher to one core, or by OpenMP to its two halves, or to two cores of four."""
    found = finding(threaded(tmp_path, *masks), "hyper-threads")
    assert found is not None
    assert found.title == hyper_threads.OF_THREADS
    assert found.cost_s == pytest.approx(3.5)
    assert f"The {len(masks) - 1} threads of a rank" in found.says
    # Nobody knows how it was started; only what OpenMP does is told to OpenMP.
    assert [each.id for each in found.remedies] == (["one-core-a-rank"] if masks[0] == "0-7" else [])
    assert found.says.endswith(hyper_threads.NO_REMEDY) == (not found.remedies)


@pytest.mark.parametrize(
    "masks",
    [
        ("0-7", "0", "1"),
        ("0-7", "0-7", "0-7"),
        ("0,1,4,5", "0,1,4,5", "0,1,4,5"),
        ("0,4", "0,4", "0,4", "0,4"),  # that is shared-core
        ("0-7", *["0-7"] * 8),  # no core is free
        ("0-3", "0", "1"),
    ],
)
def test_threads_with_cores_of_their_own(masks: tuple[str, ...], tmp_path: Path) -> None:
    assert hyper_threads.examine(threaded(tmp_path, *masks)) is None


def test_threads_get_cores(tmp_path: Path) -> None:
    found = finding(threaded(tmp_path, "0,4", "0,4", "0,4", mpirun=True), "hyper-threads")
    assert found is not None
    [remedy] = found.remedies
    assert (remedy.id, remedy.expected_gain_s) == ("one-core-a-rank", None)
    assert "--map-by slot:PE=2" in remedy.command and "OMP_PLACES=cores" in remedy.command
    assert hyper_threads.NO_REMEDY not in found.says


def test_whether_two_threads_on_each_core_are_faster_is_a_question(tmp_path: Path) -> None:
    asked = one_thread_a_core(threaded(tmp_path / "full", "0-7", *["0-7"] * 8))
    assert asked is not None
    assert asked.change == Change(environment=(("OMP_NUM_THREADS", "4"), ("OMP_PLACES", "cores")))
    assert asked.expected_gain_s is None
    for name, threads in (("free", 6), ("apart", 4), ("crowded", 9)):
        assert one_thread_a_core(threaded(tmp_path / name, "0-7", *["0-7"] * threads)) is None, name
    assert one_thread_a_core(threads_of_cores(tmp_path / "none", True, "0-7", siblings={"host.cores": "8"})) is None


def test_half_of_the_ranks_get_a_core_each(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    words = ["mpirun.openmpi", "-np", "8", "./md"]
    (tmp_path / "full" / "run.json").write_text(json.dumps({"command": words}))
    case = threads_of_cores(tmp_path / "full", True, *map(str, range(8)), library="Open MPI v4.1.4")
    asked = one_thread_a_core(case)
    assert asked is not None
    assert asked.change == Change(ranks=4, launcher_options=("--bind-to", "core", "--map-by", "core"))
