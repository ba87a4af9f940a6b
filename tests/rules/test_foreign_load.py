"""Findings about processors that other programs use, and about ranks that wander from one to the next."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of

from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.core_use import taken_by_others
from clearway.diagnosis.facts.other_programs import foreign_load as foreign_load_of
from clearway.diagnosis.rules import foreign_load, not_pinned
from clearway.run import load

MS = 1000


def loaded(others_s: float, ranks: int = 2, wall_s: float = 10.0) -> MadeHost:
    """A host on which others used so much CPU time beside ranks that were running throughout."""
    return MadeHost(counters={"cpu.user_ms": round((ranks * wall_s + others_s) * MS), "cpu.idle_ms": 5 * MS})


def waiting(host: MadeHost, wait_s: float = 2.0, cpus: str | None = None) -> list[Rank]:
    """Two ranks that compute alike, and have waited for a core."""
    world = ranks_on(host, per_host=2, cpus=cpus) if cpus else ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, wait_s)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
    return world


def disturbed(  # type: ignore[no-untyped-def]
    directory: Path, others_s: float, wait_s: float = 2.0, nice: tuple[str, str] = ("0", "0")
):
    host = loaded(others_s)
    world = waiting(host, wait_s)
    for rank in world:
        rank.fact("process.nice", nice[rank.rank])
        count(rank, "process.migrations", 40)
    return case_of(world, directory, host)


def test_what_others_used_explains_the_waiting_for_cores(tmp_path: Path) -> None:
    found = foreign_load.examine(disturbed(tmp_path, others_s=3.0))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(3.0)  # of 4 s: no more than the others used


@pytest.mark.parametrize(("counts_s", "expected_s"), [(40.0, 3.0), (10.0, 4.0)])
def test_of_a_script_only_what_fell_to_the_launch_that_is_shown_is_others_load(
    tmp_path: Path, counts_s: float, expected_s: float
) -> None:
    """The host counted for 40 s, in which others used 12 s, and ranks of another launch 16 s: those are no others."""
    host = loaded(others_s=12.0 + 16.0)
    world = waiting(host)
    case_of(world, tmp_path, host)
    for rank in range(2):
        earlier = Rank(rank, 2, machine=host.machine, begin_s=-10.0, recording_s=-10.0, end_s=-2.0)
        earlier.fact("process.launch", "earlier")
        count(earlier, "process.cpu_all_threads_ns", 8 * 10**9)
        (tmp_path / f"rank.node0.9{rank}.cwr").write_bytes(earlier.record())
    counting = Rank(-1, 0, machine=host.machine, begin_s=-10.0, recording_s=-10.0, end_s=counts_s - 10.0)
    counters = {name: (0, rise) for name, rise in host.counters.items()}
    (tmp_path / "host.node0.0.cwr").write_bytes(counting.host_record(host.facts, counters))
    found = foreign_load.examine(open_case(load(tmp_path)))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(expected_s)  # of 4 s of waiting


def test_those_who_waited_for_a_rank_without_a_core_are_told_of(tmp_path: Path) -> None:
    """The figures add up to what the finding claims."""
    host = loaded(8.0)
    world = ranks_on(host, per_host=2)
    steps_of(world, [4.0, 2.0])
    off_the_core(world[0], 2.0)
    for rank in world:
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
    found = foreign_load.examine(case_of(world, tmp_path, host))
    assert found is not None
    told = {each.what: each.value for each in found.evidence}
    assert told["ranks waited for a core"] == "2.00 rank-seconds"
    assert found.claims["core_wait_s"] == pytest.approx(4.0)
    assert told["others waited for them"] == "2.00 rank-seconds"


@pytest.mark.parametrize(
    ("nice", "said"),
    [
        (("0", "19"), "Rank 1 runs at nice 19, which gives way to them"),
        (("5", "5"), "All ranks run at nice 5"),
        (("0", "-5"), ""),
    ],
)
def test_ranks_that_give_way_are_said_to(nice: tuple[str, str], said: str, tmp_path: Path) -> None:
    found = foreign_load.examine(disturbed(tmp_path, others_s=3.0, nice=nice))
    assert found is not None
    assert said in found.says
    assert ("nice" in found.says) == bool(said)


def test_a_rank_in_the_idle_class_is_said_to_be(tmp_path: Path) -> None:
    host = loaded(3.0)
    world = waiting(host)
    world[1].fact("process.scheduler", "SCHED_IDLE")
    found = foreign_load.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert "Rank 1 runs in the class SCHED_IDLE, which gets only what all others leave" in found.says


def test_a_tenth_of_a_processor_is_enough_where_it_costs(tmp_path: Path) -> None:
    assert foreign_load.examine(disturbed(tmp_path / "a", others_s=1.0)) is not None
    assert foreign_load.examine(disturbed(tmp_path / "b", others_s=0.7)) is None


def test_load_on_other_processors_disturbs_nobody(tmp_path: Path) -> None:
    host = loaded(3.0)
    world = waiting(host, cpus="0-1")
    for rank in world:
        count(rank, "process.own_cpus_busy_ms", 20 * MS)
    assert foreign_load.examine(case_of(world, tmp_path, host)) is None


def test_ticks_that_the_kernel_misses_on_one_core_are_no_load_less_on_another(tmp_path: Path) -> None:
    """Rank 1 polls between ticks: the kernel counts 8 s of the 10 for which it had its core."""
    host = loaded(8.0)
    world = ranks_on(host, per_host=2, cpus="0")[:1] + ranks_on(host, per_host=2, cpus="1")[1:]
    steps_of(world, [2.0, 2.0])
    off_the_core(world[0], 10.0)
    for rank, busy_s in zip(world, (20, 8), strict=True):
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
        count(rank, "process.own_cpus_busy_ms", busy_s * MS)
    case = case_of(world, tmp_path, host)
    assert foreign_load_of(case, [0, 1])[0] == pytest.approx(8.0)
    assert taken_by_others(case, [0, 1]) == {0: 1.0, 1: 0.0}


def test_the_launcher_is_none_of_the_others(tmp_path: Path) -> None:
    host = loaded(3.0)
    host.counters["launcher.4711.cpu_ms"] = 3 * MS
    world = waiting(host)
    assert foreign_load.examine(case_of(world, tmp_path, host)) is None


@pytest.mark.parametrize(("begin_s", "beside"), [(-20.0, False), (2.0, True)])
def test_what_the_script_ran_before_its_launcher_was_not_beside_it(
    tmp_path: Path, begin_s: float, beside: bool
) -> None:
    """gzip used 6 s of a processor in 8 s, either before the ranks or beside them; strangers used 3 s."""
    host = loaded(3.0 + 6.0)
    host.counters |= {"helpers.cpu_ms": 6 * MS, "helper.gzip.cpu_ms": 6 * MS}
    world = waiting(host)
    case_of(world, tmp_path, host)
    for name, counts in (("rank.node0.90.cwr", False), ("host.node0.0.cwr", True)):
        counters = {each: (0, rise) for each, rise in host.counters.items()}
        span = (min(begin_s, 0.0), 10.0) if counts else (begin_s, begin_s + 8.0)
        one = Rank(-1, 0, machine=host.machine, begin_s=span[0], recording_s=span[0], end_s=span[1])
        count(one, "process.cpu_all_threads_ns", 6 * 10**9)
        (tmp_path / name).write_bytes(one.host_record(host.facts, counters) if counts else one.record())
    found = foreign_load.examine(open_case(load(tmp_path)))
    assert found is not None
    assert ("gzip" in found.says) == beside
    assert found.claims["core_wait_s"] == pytest.approx(4.0 if beside else 1.0)  # of 4 s; 3 s in 30 are 1 s in 10


@pytest.mark.parametrize(("cpus", "told"), [("0-3", True), ("4-7", False)])
def test_ranks_of_another_launch_are_none_of_the_others(tmp_path: Path, cpus: str, told: bool) -> None:
    """Two jobs of one script at a time, on the same processors, or each on its own; strangers used 3 s."""
    host = loaded(3.0 + 3.0)
    world = waiting(host)
    other = Rank(0, 1, machine=host.machine, end_s=9.0).fact("process.cpus_allowed", cpus)
    count(other.fact("process.launch", "other"), "process.cpu_all_threads_ns", 3 * 10**9)
    (tmp_path / "rank.node0.90.cwr").write_bytes(other.record())
    found = foreign_load.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert ("50.0 % of that was the job's own: another MPI program" in found.says) == told


@pytest.mark.parametrize(("helpers_s", "own"), [(2.9, True), (1.0, False), (0.2, None)])
def test_what_the_jobs_script_runs_beside_the_launcher_is_the_jobs(
    helpers_s: float, own: bool | None, tmp_path: Path
) -> None:
    """None: too little to be told of."""
    host = loaded(3.0)
    host.counters |= {
        "helpers.cpu_ms": round(helpers_s * MS),
        "helper.bash.cpu_ms": 5 * MS,  # only starts them
        "helper.gzip.cpu_ms": round(helpers_s * MS * 0.9),
        "helper.cp.cpu_ms": 10,
    }
    world = waiting(host)
    found = foreign_load.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(3.0)
    assert ("gzip" in found.says) == (own is not None)
    assert "bash" not in found.says
    assert ("outside this job" in found.says) == (not own)
    assert ("`clearway host check`" in found.says) == (not own)
    assert (found.title == foreign_load.OWN_TITLE) == bool(own)
    if own:
        assert "gzip, which the job's own script started beside the launcher, used the cores" in found.says
        assert found.remedies == ()


def test_what_services_use_is_no_finding(tmp_path: Path) -> None:
    assert foreign_load.examine(disturbed(tmp_path, others_s=0.4)) is None


def test_waits_that_nobody_else_explains_are_of_ranks_that_wander(tmp_path: Path) -> None:
    found = not_pinned.examine(disturbed(tmp_path, others_s=3.0))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(1.0)
    assert not_pinned.examine(disturbed(tmp_path / "explained", others_s=4.0)) is None


@pytest.mark.parametrize("counter", ["launcher.4711.cpu_ms", "cpu.softirq_ms"])
def test_waits_for_the_launcher_or_for_packets_are_not_of_ranks_that_wander(tmp_path: Path, counter: str) -> None:
    for used_ms, found in ((0, True), (4 * MS, False)):
        host = loaded(0.0)
        host.counters[counter] = used_ms
        if counter.startswith("launcher"):
            host.counters["cpu.user_ms"] += used_ms
        world = waiting(host)
        for rank in world:
            count(rank, "process.migrations", 40)
        assert (not_pinned.examine(case_of(world, tmp_path / str(used_ms), host)) is not None) == found


def test_idle_processors_that_the_ranks_may_not_use_are_none_of_theirs(tmp_path: Path) -> None:
    for busy_ms, found in ((20 * MS, False), (18 * MS, True)):
        host = MadeHost(counters={"cpu.user_ms": 20 * MS, "cpu.idle_ms": 20 * MS})
        world = waiting(host, cpus="0-1")
        for rank in world:
            count(rank, "process.migrations", 40)
            count(rank, "process.own_cpus_busy_ms", busy_ms)
        assert (not_pinned.examine(case_of(world, tmp_path / str(busy_ms), host)) is not None) == found


def test_ranks_pinned_to_cores_of_their_own_do_not_wander(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2, cpus="0")[:1] + ranks_on(MadeHost(), per_host=2, cpus="1")[1:]
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.migrations", 3)
    assert not_pinned.examine(case_of(world, tmp_path, loaded(0.0))) is None
