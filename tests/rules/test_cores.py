"""Rules about cores: who must share one, who is disturbed, who burns what others need."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.core_use import taken_by_others
from clearway.diagnosis.facts.other_programs import foreign_load as foreign_load_of
from clearway.diagnosis.facts.rank_places import cores_of
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.rules import foreign_load, not_pinned, polling, shared_core, uneven_cpu
from clearway.run import load

MS = 1000


def delayed(directory: Path, cpus: str, host: MadeHost, ranks: int = 2, wait_s: float = 2.0):  # type: ignore[no-untyped-def]
    """Ranks on one host that compute alike and have waited for a core."""
    world = ranks_on(host, per_host=ranks, cpus=cpus)
    steps_of(world, [2.0] * ranks)
    for rank in world:
        off_the_core(rank, wait_s)
    return case_of(world, directory, host)


def test_two_ranks_bound_to_one_core_share_it(tmp_path: Path) -> None:
    found = shared_core.examine(delayed(tmp_path, "0", MadeHost()))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(4.0)
    assert "2 for 1" in {each.value for each in found.evidence}


def test_ranks_with_a_core_each_share_none_whatever_they_waited(tmp_path: Path) -> None:
    assert shared_core.examine(delayed(tmp_path, "0-3", MadeHost())) is None


def test_ranks_that_share_but_never_wait_lose_nothing(tmp_path: Path) -> None:
    assert shared_core.examine(delayed(tmp_path, "0", MadeHost(), wait_s=0.0)) is None


def test_hosts_that_are_one_machine_share_its_cores(tmp_path: Path) -> None:
    hosts = [MadeHost(f"node{number}", boot_id="one") for number in range(3)]
    world = ranks_on(*hosts, cpus="0-1")
    steps_of(world, [2.0] * 3)
    [crowd] = crowds(case_of(world, tmp_path, *hosts))
    assert crowd.processes == (0, 1, 2)
    assert (crowd.threads, crowd.processors) == (3, 2)


def test_a_crowd_on_one_core_does_not_crowd_those_who_may_go_elsewhere(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=3, cpus="0")[:2]
    wide = ranks_on(MadeHost(), per_host=3, cpus="0-1")[2]
    steps_of([*world, wide], [2.0] * 3)
    [crowd] = crowds(case_of([*world, wide], tmp_path, MadeHost()))
    assert crowd.processes == (0, 1)


def test_threads_want_cores_as_well(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2, cpus="0-3")
    for rank in world:
        rank.fact("environment.OMP_NUM_THREADS", "4")
    steps_of(world, [2.0, 2.0])
    [crowd] = crowds(case_of(world, tmp_path, MadeHost()))
    assert (crowd.threads, crowd.processors) == (8, 4)


def test_threads_that_a_program_does_not_have_want_none(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2, cpus="0-3")
    for rank in world:
        rank.fact("environment.OMP_NUM_THREADS", "4")
        count(rank, "process.threads", 2)  # one of them the MPI's own
    steps_of(world, [2.0, 2.0])
    assert crowds(case_of(world, tmp_path, MadeHost())) == []


def test_a_control_group_that_grants_less_counts_once_it_has_stopped_them(tmp_path: Path) -> None:
    for throttled_us, expected in ((0, 0), (150_000, 0), (5_000_000, 1)):
        directory = tmp_path / str(throttled_us)
        world = ranks_on(MadeHost(), per_host=2)
        for rank in world:
            rank.fact("process.cgroup_cpus", "1.500")
            count(rank, "process.cgroup_throttled_us", throttled_us)
        steps_of(world, [2.0, 2.0])
        assert len(crowds(case_of(world, directory, MadeHost()))) == expected


def hybrid(directory: Path, ready_s: float, **counters: int) -> Case:
    """One rank with eight OpenMP threads on one core: its threads ran or wanted to for `ready_s` of its 10 s each."""
    [rank] = world = ranks_on(MadeHost(), cpus="0")
    rank.fact("environment.OMP_NUM_THREADS", "8")
    steps_of(world, [2.0])
    off_the_core(rank, 2.0)
    for name, value in counters.items():
        count(rank, f"process.{name}", value)
    count(rank, "process.threads", 8)
    count(rank, "process.cpu_all_threads_ns", round(min(10.0, 8.0 + 8 * ready_s) * 10**9))
    count(rank, "process.run_delay_all_threads_ns", round((2.0 + 8 * ready_s) * 10**9))
    return case_of(world, directory, MadeHost())


def test_threads_that_want_to_run_share_a_core(tmp_path: Path) -> None:
    found = shared_core.examine(hybrid(tmp_path, ready_s=9.0))
    assert found is not None
    assert found.title == "8 threads of rank 0 share 1 core"
    assert found.claims["core_wait_s"] == pytest.approx(2.0 * 3 / 7)  # three of the seven find a free one of four
    assert found.says.startswith("Rank 0 has 8 threads that want to run, and may use 1 processor. Its main thread was")


def test_threads_on_all_the_processors_there_are_cost_nothing(tmp_path: Path) -> None:
    """Each rank is bound to a core of its own and told to have eight threads: one would be no faster."""
    host = MadeHost(facts={"host.cores": "2"})
    world = [ranks_on(host, per_host=2, cpus=str(rank))[rank] for rank in range(2)]
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("environment.OMP_NUM_THREADS", "8")
        off_the_core(rank, 7.0)
        count(rank, "process.threads", 8)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
        count(rank, "process.run_delay_all_threads_ns", 70 * 10**9)
    case = case_of(world, tmp_path, host)
    assert [crowd.threads for crowd in crowds(case)] == [8, 8]
    assert diagnose(case) == ()


def test_threads_that_sleep_share_nothing(tmp_path: Path) -> None:
    assert crowds(hybrid(tmp_path, ready_s=0.0)) == []


def granted(directory: Path, **facts: str) -> Case:
    """Two ranks on processor 0 of four, in a job that may not have them all."""
    world = ranks_on(MadeHost(), per_host=2, cpus="0")
    for rank in world:
        for name, text in facts.items():
            rank.fact(name.replace("__", "."), text)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
    return case_of(world, directory, MadeHost())


@pytest.mark.parametrize(
    ("facts", "free"),
    [
        ({}, 3),
        ({"process__cgroup_cpuset": "0"}, 0),
        ({"process__cgroup_cpuset": "0-1"}, 1),
        ({"environment__SLURM_JOB_ID": "7", "process__launcher_cpus": "0"}, 0),
        ({"process__launcher_cpus": "0"}, 3),  # a person's taskset, which may be left out
        ({"environment__SLURM_CPUS_ON_NODE": "2"}, 1),
    ],
)
def test_only_what_the_job_may_have_is_free(facts: dict[str, str], free: int, tmp_path: Path) -> None:
    case = granted(tmp_path, **facts)
    [crowd] = crowds(case)
    assert crowd.free == free
    assert cores_of(case, case.tables.hosts[0]) == free + 1
    found = shared_core.examine(case)
    assert found is not None
    assert ("no rank." in found.says) == (free > 0)
    offers = diagnose(case)[0].offers
    assert "one-rank-a-core" not in offers or free > 0


@pytest.mark.parametrize(
    ("variables", "narrowed", "told"),
    [
        ({"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}, True, "OMP_PROC_BIND=spread, OMP_PLACES=threads"),
        ({"GOMP_CPU_AFFINITY": "0"}, True, "GOMP_CPU_AFFINITY=0"),
        ({"OMP_PROC_BIND": "false"}, True, ""),
        ({"OMP_PROC_BIND": "spread"}, False, ""),  # the launcher bound them before
    ],
)
def test_the_openmp_runtime_that_put_all_ranks_on_one_core_is_named(
    tmp_path: Path, variables: dict[str, str], narrowed: bool, told: str
) -> None:
    host = MadeHost()
    world = ranks_on(host, per_host=2, cpus="0-3" if narrowed else "0")
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.thread["tid"] = 7
        for name, value in variables.items():
            rank.fact(f"environment.{name}", value)
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 5 * 10**9)
        rank.add(SegmentKind.THREAD_USES, tid=7, cpu_ns=5 * 10**9, name=b"md", cpus_allowed=b"0")
    found = shared_core.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert ("the OpenMP runtime of each bound it" in found.says) == bool(told)
    assert told in found.says


def loaded(others_s: float, ranks: int = 2, wall_s: float = 10.0) -> MadeHost:
    """A host on which others used so much CPU time beside ranks that were running throughout."""
    return MadeHost(counters={"cpu.user_ms": round((ranks * wall_s + others_s) * MS), "cpu.idle_ms": 5 * MS})


def disturbed(  # type: ignore[no-untyped-def]
    directory: Path, others_s: float, wait_s: float = 2.0, nice: tuple[str, str] = ("0", "0")
):
    host = loaded(others_s)
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("process.nice", nice[rank.rank])
        off_the_core(rank, wait_s)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
    world[1].fact("process.scheduler", "SCHED_IDLE")
    found = foreign_load.examine(case_of(world, tmp_path, host))
    assert found is not None
    assert "Rank 1 runs in the class SCHED_IDLE, which gets only what all others leave" in found.says


def test_a_tenth_of_a_processor_is_enough_where_it_costs(tmp_path: Path) -> None:
    assert foreign_load.examine(disturbed(tmp_path / "a", others_s=1.0)) is not None
    assert foreign_load.examine(disturbed(tmp_path / "b", others_s=0.7)) is None


def test_load_on_other_processors_disturbs_nobody(tmp_path: Path) -> None:
    host = loaded(3.0)
    world = ranks_on(host, per_host=2, cpus="0-1")
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
    assert foreign_load.examine(case_of(world, tmp_path, host)) is None


@pytest.mark.parametrize(("begin_s", "beside"), [(-20.0, False), (2.0, True)])
def test_what_the_script_ran_before_its_launcher_was_not_beside_it(
    tmp_path: Path, begin_s: float, beside: bool
) -> None:
    """gzip used 6 s of a processor in 8 s, either before the ranks or beside them; strangers used 3 s."""
    host = loaded(3.0 + 6.0)
    host.counters |= {"helpers.cpu_ms": 6 * MS, "helper.gzip.cpu_ms": 6 * MS}
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 2.0)
        count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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
        world = ranks_on(host, per_host=2)
        steps_of(world, [2.0, 2.0])
        for rank in world:
            off_the_core(rank, 2.0)
            count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
            count(rank, "process.migrations", 40)
        assert (not_pinned.examine(case_of(world, tmp_path / str(used_ms), host)) is not None) == found


def test_idle_processors_that_the_ranks_may_not_use_are_none_of_theirs(tmp_path: Path) -> None:
    for busy_ms, found in ((20 * MS, False), (18 * MS, True)):
        host = MadeHost(counters={"cpu.user_ms": 20 * MS, "cpu.idle_ms": 20 * MS})
        world = ranks_on(host, per_host=2, cpus="0-1")
        steps_of(world, [2.0, 2.0])
        for rank in world:
            off_the_core(rank, 2.0)
            count(rank, "process.cpu_all_threads_ns", 10 * 10**9)
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


def used(rank: Rank, seconds: float) -> None:
    rank.thread["cpu_ns"] = round(seconds * 1e9)
    count(rank, "process.cpu_all_threads_ns", round(seconds * 1e9))


def asking(directory: Path, cpus: str):  # type: ignore[no-untyped-def]
    """Of 10 s, rank 0 computes for 6 and waits 4 for its core; rank 1 computes for 4 and calls MPI_Iprobe for 6."""
    world = ranks_on(MadeHost(), per_host=2, cpus=cpus)
    off_the_core(world[0], 4.0)
    used(world[0], 6.0)
    used(world[1].cell("MPI_Iprobe", 6.0, count=1_000_000), 10.0)
    return case_of(world, directory, MadeHost())


def test_polling_takes_its_part_of_the_core_and_what_it_prolonged(tmp_path: Path) -> None:
    found = polling.examine(asking(tmp_path, "0"))
    assert found is not None
    part_s = 4.0 * 6 / 16  # six of sixteen CPU-seconds were burnt
    assert found.claims == pytest.approx({"core_wait_s": part_s, "transfer_s": part_s, "wait_s": 0.0})
    rest = shared_core.examine(asking(tmp_path / "again", "0"))
    assert rest is not None
    assert rest.claims["core_wait_s"] == pytest.approx(4.0 - part_s)


def test_polling_on_a_core_of_its_own_harms_nobody(tmp_path: Path) -> None:
    assert polling.examine(asking(tmp_path, "0-1")) is None


def waiting_in_mpi(directory: Path, yields: bool):  # type: ignore[no-untyped-def]
    """Rank 1 waits for rank 0 in MPI and burns CPU time; rank 0 waits for the core."""
    world = ranks_on(MadeHost(), per_host=2, cpus="0")
    steps_of(world, [2.0, 0.5])
    off_the_core(world[0], 3.0)
    used(world[0], 7.0)
    used(world[1], 7.5)
    world[1].thread["cpu_in_mpi_ns"] = 5 * 10**9
    if yields:
        for rank in world:
            rank.fact("environment.OMPI_MCA_mpi_yield_when_idle", "1")
    return case_of(world, directory, MadeHost())


def test_waiting_that_gives_way_is_not_polling(tmp_path: Path) -> None:
    found = polling.examine(waiting_in_mpi(tmp_path / "polls", yields=False))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(6.0 * 5.0 / 14.5)  # rank 1 waited 3 s for the 3 s of rank 0
    assert polling.examine(waiting_in_mpi(tmp_path / "yields", yields=True)) is None


def test_strangers_take_their_part_of_a_shared_core(tmp_path: Path) -> None:
    host = MadeHost(counters={"cpu.user_ms": 9 * MS})
    world = ranks_on(host, per_host=2, cpus="0")
    for rank in world:
        off_the_core(rank, 5.0)
        used(rank, 3.0)
    case = case_of(world, tmp_path, host)
    strangers, sharing = foreign_load.examine(case), shared_core.examine(case)
    assert strangers is not None
    assert sharing is not None
    assert strangers.claims["core_wait_s"] == pytest.approx(10.0 / 3)
    assert sharing.claims["core_wait_s"] == pytest.approx(20.0 / 3)


def badly_spread(directory: Path, second: int, polls: bool = True, wait_s: float = 3.0) -> Case:
    """Three ranks on a host of 2 processors, `second` on another, which wait for the others with or without polling."""
    hosts = [MadeHost(f"node{number}", {"host.cores": "2"}) for number in range(2)]
    size = 3 + second
    world = [rank for host in (hosts[0],) for rank in ranks_on(host, per_host=3, cpus="0-1")]
    world += ranks_on(hosts[1], per_host=second, cpus="0-1")
    for number, rank in enumerate(world):
        rank.rank, rank.world_size = number, size
        rank.comms = [(0, 0, size, number, 0, 77, b"MPI_COMM_WORLD")]
    steps_of(world, [2.0] * size)
    for rank in world[:3]:
        off_the_core(rank, wait_s)
    for rank in world[3:]:
        off_the_core(rank, 0.0)
        rank.thread["cpu_ns"] = rank.thread["cpu_ns"] if polls else world[0].thread["cpu_ns"]
    return case_of(world, directory, *hosts)


def test_a_full_host_beside_one_with_room_is_uneven(tmp_path: Path) -> None:
    for polls in (True, False):
        found = uneven_cpu.examine(badly_spread(tmp_path / str(polls), second=1, polls=polls))
        assert found is not None
        assert found.claims["core_wait_s"] == pytest.approx(9.0)


def test_hosts_that_are_all_full_are_even(tmp_path: Path) -> None:
    case = badly_spread(tmp_path, second=3)
    assert uneven_cpu.examine(case) is None
    assert shared_core.examine(case) is not None


def test_others_on_a_free_core_keep_nobody_from_the_shared_one(tmp_path: Path) -> None:
    host = loaded(others_s=10.0, ranks=1)
    world = ranks_on(host, per_host=2, cpus="0")
    steps_of(world, [2.0, 2.0])
    for rank in world:
        off_the_core(rank, 5.0)
        count(rank, "process.cpu_all_threads_ns", 5 * 10**9)
    case = case_of(world, tmp_path, host)
    assert foreign_load.examine(case) is None
    found = shared_core.examine(case)
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(case.losses.core_wait_s)
