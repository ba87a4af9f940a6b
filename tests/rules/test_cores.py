"""Rules about cores: who must share one, who burns what others need."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of
from rules.test_foreign_load import loaded

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.rules import foreign_load, polling, shared_core, uneven_cpu

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
