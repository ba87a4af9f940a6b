"""Rules about what a control group grants: processors and memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from python.made_runs import Rank, State
from rules.host_jobs import MadeHost, case_of, count, off_the_core, ranks_on, steps_of
from rules.test_blocked import found_doing

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import memory_pressure, out_of_memory, polling, quota, shared_core
from clearway.job.out_of_memory import Killed, killed_since, killed_so_far
from clearway.run.layout import Activity
from clearway.run.run import Launch

MIB = 1 << 20


def two_ranks(grant: str, throttled_us: int, wait_s: float) -> list[Rank]:
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.fact("process.cgroup_cpus", grant)
        count(rank, "process.cgroup_throttled_us", throttled_us)
        count(rank, "process.cgroup_periods", 100)
        count(rank, "process.cgroup_throttled_periods", 80)
        off_the_core(rank, wait_s)
    return world


def stopped(directory: Path, costs: bool) -> Case:
    """Two ranks have one and a half processors, and stand still for 3 s each; without cost the limit is never met."""
    return case_of(two_ranks("1.500", 6_000_000 if costs else 0, 3.0 if costs else 0.0), directory, MadeHost())


def test_a_limit_that_stops_ranks_is_told_as_such(tmp_path: Path) -> None:
    case = stopped(tmp_path, True)
    assert shared_core.examine(case) is None
    found = quota.examine(case)
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(6.0)
    assert "80.0 %" in {each.value for each in found.evidence}


def test_a_limit_of_one_rank_is_told_with_its_number_and_is_no_polling(tmp_path: Path) -> None:
    """Rank 0 polls while it waits, on a core of its own: that does not use up what rank 1 is granted."""
    _, second = two_ranks("0.500", 6_000_000, 3.0)
    world = [*ranks_on(MadeHost(), per_host=2)[:1], second]
    steps_of(world[:1], [2.0])
    world[0].cell("MPI_Iprobe", 6.0, count=1_000_000)
    world[0].thread["cpu_ns"] = 10 * 10**9
    count(world[0], "process.cpu_all_threads_ns", 10 * 10**9)
    count(second, "process.cpu_all_threads_ns", 7 * 10**9)
    case = case_of(world, tmp_path, MadeHost())
    found = quota.examine(case)
    assert found is not None
    assert found.says.startswith("Rank 1 was stopped by a CPU limit")
    assert polling.examine(case) is None


def test_no_more_is_charged_to_a_limit_than_it_stopped(tmp_path: Path) -> None:
    """Ranks lacked a core for 6 s, but their group was stopped for one only: somebody else was there, too."""
    found = quota.examine(case_of(two_ranks("2.000", 1_000_000, 3.0), tmp_path, MadeHost()))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(1.0)


def short_of_memory(directory: Path, costs: bool, **counters: int) -> Case:
    """Rank 0 is blocked in page faults for 5 s, while the others wait for it; without cost they compute as long."""
    world = ranks_on(MadeHost(), per_host=4)
    steps_of(world, [2.0, *[1.0 if costs else 2.0] * 3])
    found_doing(world[0], Activity.MEMORY, 5.0)
    for name, rise in {"major_faults": 9_000, "cgroup_memory_hits": 900, **counters}.items():
        count(world[0], f"process.{name}", rise)
    for rank in world:
        rank.fact("process.cgroup_memory_bytes", str(100 * MIB))
        rank.fact("process.cgroup_memory_at", "/sys/fs/cgroup/system.slice/run-7.scope")
    return case_of(world, directory, MadeHost())


def test_pages_that_are_taken_and_fetched_again(tmp_path: Path) -> None:
    [found] = [one.finding for one in diagnose(short_of_memory(tmp_path, True)) if "memory" in one.finding.rule]
    assert found.cost_s == pytest.approx(5.0, rel=0.1)
    assert "9,000 times for rank 0" in found.says
    [remedy] = found.remedies
    assert remedy.command == f"sudo systemctl set-property --runtime run-7.scope MemoryMax={200 * MIB}"


@pytest.mark.parametrize(("faults", "cost_s"), [(9_000, 5.45), (20_000, 5.5)])
def test_the_kernel_works_for_them_as_well(faults: int, cost_s: float, tmp_path: Path) -> None:
    """It took 2 s of rank 0, one of four, outside MPI and files: 0.2 ms of that for each fault at most."""
    case = short_of_memory(tmp_path, True, major_faults=faults, main_system_ms=2_000)
    found = memory_pressure.examine(case)
    assert found is not None
    assert found.claims["compute_s"] == pytest.approx(min(2.0, faults * 2e-4), rel=0.01)
    [said] = [one.finding for one in diagnose(case) if one.finding.rule == "memory-pressure"]
    assert said.cost_s == pytest.approx(cost_s, rel=0.05)


def test_the_seconds_are_told_once(tmp_path: Path) -> None:
    """All ranks wait for pages, and for each other: that is no second loss."""
    world = ranks_on(MadeHost(), per_host=4)
    steps_of(world, [2.0, 1.0, 2.0, 1.0])
    for rank, seconds in zip(world, [2.0, 1.0, 2.0, 1.0], strict=True):
        found_doing(rank, Activity.MEMORY, seconds)
        count(rank, "process.major_faults", 9_000)
        count(rank, "process.cgroup_memory_hits", 900)
    rules = [one.finding.rule for one in diagnose(case_of(world, tmp_path, MadeHost()))]
    assert "memory-pressure" in rules
    assert "blocked" not in rules


def test_a_rank_that_was_never_blocked_for_them(tmp_path: Path) -> None:
    """Beside other programs a page may be there before the rank has a core again. What is left is the kernel's work."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.thread["cpu_ns"] = round(rank.end_s * 1e9)
        for name, rise in {"major_faults": 20_000, "cgroup_memory_hits": 900, "main_system_ms": 2_000}.items():
            count(rank, f"process.{name}", rise)
    found = memory_pressure.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None
    assert found.claims == pytest.approx({"blocked_s": 0.0, "compute_s": 4.0})


def test_a_mapped_file_that_is_read_once_is_no_want_of_memory(tmp_path: Path) -> None:
    assert memory_pressure.examine(short_of_memory(tmp_path, True, cgroup_memory_hits=0)) is None


def test_a_few_page_faults_do_not_explain_seconds(tmp_path: Path) -> None:
    assert memory_pressure.examine(short_of_memory(tmp_path, True, major_faults=5)) is None


def killed(directory: Path, costs: bool) -> Case:
    """A process of the group was killed, and rank 1 with it; without cost it was none of the ranks."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    if costs:
        for rank, end_s in zip(world, (12.0, 10.0), strict=True):
            rank.state, rank.end_s = State.RUNNING, end_s
    count(world[0], "process.cgroup_oom_kills", 1)
    return case_of(world, directory, MadeHost())


def of_killed(case: Case) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == "out-of-memory"), None)


def test_a_rank_that_the_kernel_killed(tmp_path: Path) -> None:
    found = of_killed(killed(tmp_path, True))
    assert found is not None
    assert "The record of rank 1 on node0 ends first." in found.says


def test_clearway_run_saw_it_where_no_rank_was_left_to(tmp_path: Path) -> None:
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.state = State.RUNNING
    case = case_of(world, tmp_path, MadeHost())
    assert out_of_memory.examine(case) is None
    for in_group, sure in ((1, True), (0, False)):
        launch = Launch(("mpirun",), 137, None, None, None, oom_kills=in_group, oom_kills_of_machine=1)
        found = out_of_memory.examine(replace(case, run=replace(case.run, launch=launch)))
        assert found is not None
        assert (found.confidence > 0.9) == sure


def test_another_jobs_kill_on_the_node_is_not_this_ones(tmp_path: Path) -> None:
    """It still runs, or was ended by something else: only the machine's count rose."""
    world = ranks_on(MadeHost(), per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        rank.state = State.RUNNING
    case = case_of(world, tmp_path, MadeHost())
    for code in (None, 2, 143, 0):
        launch = Launch(("srun",), code, None, None, None, oom_kills=0, oom_kills_of_machine=2)
        assert out_of_memory.examine(replace(case, run=replace(case.run, launch=launch))) is None
    launch = Launch(("srun",), 137, None, None, None, oom_kills=0, oom_kills_of_machine=2)
    killed_too = replace(case, run=replace(case.run, launch=launch))
    assert out_of_memory.examine(killed_too) is not None
    assert out_of_memory.examine(replace(killed_too, slurm_state="TIMEOUT")) is None


@pytest.mark.parametrize(
    ("groups", "name"),
    [
        ("0::/slurm/job_7\n", "sys/fs/cgroup/slurm/job_7/memory.events"),
        ("12:cpu:/x\n9:memory:/a/b\n0::/\n", "sys/fs/cgroup/memory/a/b/memory.oom_control"),
    ],
)
def test_the_kernels_counts_are_read(tmp_path: Path, groups: str, name: str) -> None:
    for path, text in (
        ("proc/self/cgroup", groups),
        ("proc/vmstat", "nr_free_pages 7\noom_kill 5\nswap_ra 1\n"),
        (name, "low 0\nhigh 0\nmax 4\noom 1\noom_kill 2\noom_group_kill 0\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert killed_so_far(tmp_path) == Killed(2, 5)
    assert killed_since(Killed(1, 5), killed_so_far(tmp_path)) == Killed(1, 0)
    assert killed_so_far(tmp_path / "nothing") == Killed(None, None)


def test_in_a_job_of_slurms(tmp_path: Path) -> None:
    """Version 2 counts for the job; version 1 in the victim's group, which is gone when its step is."""
    (tmp_path / "proc" / "self").mkdir(parents=True)
    for version, line, mounted in (
        (2, "0::/system.slice/slurmstepd.scope", "sys/fs/cgroup"),
        (1, "9:memory:/slurm/uid_1", "sys/fs/cgroup/memory"),
    ):
        (tmp_path / "proc/self/cgroup").write_text(f"{line}/job_7/step_batch/task_0\n")
        job = tmp_path / mounted / line.rpartition(":")[2].lstrip("/") / "job_7"
        (job / "step_batch" / "task_0").mkdir(parents=True)

        count = "memory.events" if version == 2 else "memory.failcnt"

        def said(on_machine: int, of_job: int, file: Path = job / count, version: int = version) -> Killed:
            (tmp_path / "proc/vmstat").write_text(f"oom_kill {on_machine}\n")
            file.write_text(f"oom_kill {of_job}\n" if version == 2 else f"{of_job}\n")
            return killed_so_far(tmp_path)

        assert killed_since(said(3, 1), said(5, 3)).in_group == 2
        assert not killed_since(said(5, 3), said(6, 3)).in_group, "another job's"
