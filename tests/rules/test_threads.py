"""The rules about threads, on made jobs of which every core-second is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from python.made_runs import SECOND, TICKS, Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import threads_per_rank
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.rules import serial_section
from clearway.ledger.cores import OTHER_LINES
from clearway.page.render.core_lines import core_picture
from clearway.predict.jobs.core_waits import waits_that_go_s
from clearway.run.layout import THREAD_GONE, THREAD_OF_MPI, THREAD_ONLY_ASKED, Place

WALL_S = 10.0


def ns(seconds: float) -> int:
    return round(seconds * SECOND)


def thread(rank: Rank, tid: int, cpu_s: float, delay_s: float = 0.0, flags: int = 0, cpus: str = "0-1") -> None:
    rank.add(
        SegmentKind.THREAD_USES,
        tid=tid,
        flags=flags,
        cpu_ns=ns(cpu_s),
        run_delay_ns=ns(delay_s),
        first_ticks=TICKS,
        last_ticks=TICKS + ns(WALL_S),
        name=b"program",
        cpus_allowed=cpus.encode(),
    )


def team(
    rank: Rank, tid: int, work_s: float, region_s: float = 0.0, threads: int = 2, whole: float = 1.0, regions: int = 100
) -> None:
    """What an OpenMP runtime told of a thread: its work in regions; of the first one, how long these took, and the part
    of the threads that they had in the mean.
    """
    first = {
        "regions": regions,
        "region_ticks": ns(region_s),
        "team_ticks": ns(region_s * threads * whole),
        "most_threads": threads,
    }
    rank.add(SegmentKind.TEAMS, tid=tid, work_ticks=ns(work_s), size=threads, **(first if region_s else {}))


def made(directory: Path, *ranks: Rank, cores: int = 2) -> Case:
    return case_of(ranks, directory, MadeHost(facts={"host.cores": str(cores)}))


def rank(cpu_s: float = WALL_S, cpus: str = "0-1", blocked_s: float = 0.0) -> Rank:
    one = Rank(0, 1, end_s=WALL_S, thread={"tid": 1, "cpu_ns": ns(cpu_s), "blocked_outside_ns": ns(blocked_s)})
    one.fact("process.cpus_allowed", cpus)
    thread(one, 1, cpu_s, cpus=cpus)
    return one


def uneven(directory: Path, costs: bool) -> Case:
    """In regions of 8 s the second thread works 4 s, or all of them but 0.1 s."""
    one = rank()
    thread(one, 2, 4.0 if costs else 7.9)
    team(one, 1, 8.0, region_s=8.0)
    team(one, 2, 4.0 if costs else 7.9)
    return made(directory, one)


@pytest.mark.parametrize(("delay_s", "is_told"), [(1.5, False), (0.0, True)])
def test_a_thread_that_lost_its_core_held_up_the_team_and_itself(delay_s: float, is_told: bool, tmp_path: Path) -> None:
    """Of 8 s in regions each thread worked 5, and waited 3: half for itself, half for the other."""
    one = rank(cpu_s=WALL_S - delay_s)
    one.thread.update(run_delay_ns=ns(delay_s))
    thread(one, 2, 5.0, delay_s=delay_s)
    team(one, 1, 5.0, region_s=8.0)
    team(one, 2, 5.0)
    assert (found(made(tmp_path, one), "thread-imbalance") is not None) == is_told


def alone(directory: Path, costs: bool) -> Case:
    """One thread computes for 4 s outside of regions; without cost regions take all but half a second."""
    one, region_s = rank(), 6.0 if costs else 9.5
    thread(one, 2, region_s)
    team(one, 1, region_s, region_s=region_s)
    team(one, 2, region_s)
    return made(directory, one)


def idle(directory: Path, costs: bool) -> Case:
    """A rank was bound to four of eight cores and has one thread; without cost it waits in MPI for most of the time."""
    one = rank(cpu_s=WALL_S if costs else 0.2, cpus="0-3", blocked_s=0.0 if costs else 9.8)
    return made(directory, one, cores=8)


def found(case: Case, rule: str) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == rule), None)


def lines_of(case: Case) -> dict[str, float]:
    assert case.cores is not None
    table = case.cores.table
    whole = (
        sum(table[name] for name in OTHER_LINES) - table["displaced_s"] - table["lent_s"] + case.books.ledger["wall_s"]
    )
    assert whole == pytest.approx(table["given_s"], abs=1e-9)
    return {name: float(table[name].sum()) for name in table.dtype.names or ()}


def test_uneven_shares_cost_the_mean_wait(tmp_path: Path) -> None:
    case = uneven(tmp_path, True)
    lines = lines_of(case)
    assert (lines["compute_s"], lines["wait_s"], lines["serial_s"]) == pytest.approx((4.0, 4.0, 2.0))
    said = found(case, "thread-imbalance")
    assert said is not None
    assert said.cost_s == pytest.approx(2.0)
    page = case.tables.cores
    assert page is not None
    assert page.compute_s + page.team_wait_s + page.serial_s == pytest.approx(page.given_s) == 20.0
    assert page.parallel_efficiency == pytest.approx(0.7)


def test_a_wait_that_spins_is_no_computing(tmp_path: Path) -> None:
    """The second thread used the processor for all of the 8 s, 4 of them asking whether the first one is done."""
    one = rank()
    thread(one, 2, 8.0)
    team(one, 1, 8.0, region_s=8.0)
    team(one, 2, 4.0)
    lines = lines_of(made(tmp_path, one))
    assert (lines["compute_s"], lines["wait_s"], lines["serial_s"]) == pytest.approx((4.0, 4.0, 2.0))


def test_what_was_off_the_core_is_no_uneven_share(tmp_path: Path) -> None:
    one = rank()
    thread(one, 2, 4.0, delay_s=4.0)
    team(one, 1, 4.0, region_s=8.0)
    team(one, 2, 8.0)
    assert found(made(tmp_path, one), "thread-imbalance") is None


# Two threads in a region of 8 s: seconds at work there, on a core, and without one. Waiting is asleep, or spins.
ASLEEP, SPINNING, EVEN = ((2, 1, 1), (8, 4, 4)), ((2, 4, 4), (8, 4, 4)), ((6, 3, 3), (6, 3, 3))


@pytest.mark.parametrize(("threads", "cost_s"), [(ASLEEP, 1.5), (SPINNING, 1.5), (EVEN, None)])
def test_uneven_shares_are_told_where_cores_are_short(
    tmp_path: Path, threads: tuple[tuple[float, ...], ...], cost_s: float | None
) -> None:
    (first_s, first_cpu_s, first_delay_s), (second_s, cpu_s, delay_s) = threads
    one = rank(cpu_s=first_cpu_s, blocked_s=WALL_S - first_cpu_s - first_delay_s)
    one.thread.update(run_delay_ns=ns(first_delay_s))
    thread(one, 2, cpu_s, delay_s=delay_s)
    team(one, 1, first_s, region_s=8.0)
    team(one, 2, second_s)
    said = found(made(tmp_path, one), "thread-imbalance")
    assert (said.cost_s if said else None) == (cost_s and pytest.approx(cost_s))


def test_smaller_teams_in_between_are_no_uneven_shares(tmp_path: Path) -> None:
    """One thread is in half of the regions only, and waits there for as long as a core was lacking."""
    one = rank(cpu_s=8.0)
    thread(one, 2, 2.0, delay_s=1.0)
    team(one, 1, 8.0, region_s=8.0, whole=0.75)
    team(one, 2, 3.0)
    assert found(made(tmp_path, one), "thread-imbalance") is None


def test_one_that_computes_alone(tmp_path: Path) -> None:
    case = alone(tmp_path, True)
    assert lines_of(case)["serial_s"] == pytest.approx(4.0)
    said = found(case, "serial-section")
    assert said is not None
    assert said.cost_s == pytest.approx(2.0)
    assert said.remedies == () and said.says.endswith(serial_section.NO_REMEDY)  # nobody knows how it was started


def test_a_region_of_one_thread_is_none(tmp_path: Path) -> None:
    """The record ends while the thread is in it, alone: it waits for nobody."""
    one = rank()
    one.add(SegmentKind.TEAMS, tid=1, size=1, region_entry_ticks=TICKS + ns(1.0))
    case = made(tmp_path, one)
    assert case.cores is not None
    assert not case.cores.runtime_told.any()
    assert float(case.cores.teams.parallel_s.sum()) == float(case.cores.teams.main_wait_s.sum()) == 0.0


def test_who_only_asked_for_work_is_no_thread_of_the_job(tmp_path: Path) -> None:
    """A library's thread asked for 0.8 s whether there is something to do, on a core that nobody else wanted."""
    one = rank()
    thread(one, 2, 0.8, flags=THREAD_ONLY_ASKED)
    case = made(tmp_path, one)
    assert lines_of(case)["unused_s"] == pytest.approx(WALL_S)
    page = case.tables.cores
    assert page is not None
    assert (page.most_threads, page.compute_s) == (1, pytest.approx(WALL_S))
    assert len(page.ranks[0].threads) == 1


def test_without_a_runtime_samples_tell(tmp_path: Path) -> None:
    one = rank()
    thread(one, 2, 6.0)
    seen = {"place": Place.OUTSIDE, "main_busy": 1}
    one.add(SegmentKind.CONCURRENCY, **seen, samples=100, alone=40, busy=60, idle=40, idle_beside_busy=40)
    case = made(tmp_path, one)
    assert lines_of(case)["serial_s"] == pytest.approx(4.0)
    assert case.tables.cores is not None
    assert case.tables.cores.told_by == "samples"
    assert found(case, "serial-section") is not None


@pytest.mark.parametrize(("lasts", "said"), [(False, False), (True, True)])
def test_threads_that_end_with_their_work_are_never_idle(lasts: bool, said: bool, tmp_path: Path) -> None:
    """Each was there for one piece of work, and gone when the recorder looked again; or one besides stayed."""
    one = rank()
    for tid in range(10, 20):
        one.add(SegmentKind.THREAD_USES, tid=tid, flags=THREAD_GONE, first_ticks=TICKS + tid, last_ticks=TICKS + tid)
    if lasts:
        thread(one, 2, 6.0)
    seen = {"place": Place.OUTSIDE, "main_busy": 1}
    one.add(SegmentKind.CONCURRENCY, **seen, samples=100, alone=40, busy=60, idle=40, idle_beside_busy=40)
    assert (found(made(tmp_path, one), "serial-section") is not None) == said


@pytest.mark.parametrize(("other_s", "cost_s"), [(9.1, 0.45), (9.6, None)])
def test_cpu_times_tell_what_few_samples_cannot(other_s: float, cost_s: float | None, tmp_path: Path) -> None:
    """3 samples of 20 found one thread alone. By CPU times it was 0.9 s, or 0.4."""
    one = rank()
    thread(one, 2, other_s)
    seen = {"place": Place.OUTSIDE, "main_busy": 1}
    one.add(SegmentKind.CONCURRENCY, **seen, samples=20, alone=3, busy=17, idle=3, idle_beside_busy=3)
    said = found(made(tmp_path, one), "serial-section")
    assert (said.cost_s if said else None) == (None if cost_s is None else pytest.approx(cost_s, abs=0.01))


def test_one_thread_on_one_core_is_the_ledger(tmp_path: Path) -> None:
    case = made(tmp_path, rank(cpus="1"))
    assert lines_of(case)["given_s"] == WALL_S
    assert case.tables.cores is None


def test_eight_threads_on_a_core_count_each_second_once(tmp_path: Path) -> None:
    one = rank(cpu_s=WALL_S / 8, cpus="0")
    one.thread["run_delay_ns"] = ns(WALL_S * 7 / 8)
    for tid in range(2, 9):
        thread(one, tid, WALL_S / 8, delay_s=WALL_S * 7 / 8)
    case = made(tmp_path, one)
    lines = lines_of(case)
    assert (lines["threads"], lines["cores"]) == (8, 1)
    assert lines["displaced_s"] == pytest.approx(lines["compute_s"]) == pytest.approx(WALL_S * 7 / 8)
    # The core was at the job's work meanwhile: one that nobody shares would take as long.
    assert waits_that_go_s(case.run, case.books) == pytest.approx([0.0])


@pytest.mark.parametrize("busy", [(50, 50), (100, 0)])
def test_threads_on_cores_of_two_kinds(busy: tuple[int, int], tmp_path: Path) -> None:
    one = rank()
    thread(one, 2, 4.0)
    team(one, 1, 8.0, region_s=8.0)
    team(one, 2, 4.0)
    one.add(SegmentKind.CONCURRENCY, place=Place.OUTSIDE, samples=100, busy=100)
    for cpu, samples in enumerate(busy):
        one.add(SegmentKind.CORES, cpu=cpu, busy=samples)
    kinds = {"cpufreq.highest_khz.0": "0-0:5200000 1-1:3900000"}
    said = found(case_of([one], tmp_path, MadeHost(facts={"host.cores": "2", **kinds})), "thread-imbalance")
    assert said is not None
    assert ("cores of two kinds" in said.says) == all(busy)


def test_where_threads_queue_is_said(tmp_path: Path) -> None:
    one = rank(cpu_s=WALL_S / 2, cpus="0")
    one.thread["run_delay_ns"] = ns(WALL_S / 2)
    thread(one, 2, WALL_S / 2, delay_s=WALL_S / 2, cpus="0")
    one.fact("environment.OMP_NUM_THREADS", "2")
    for name in (b"process.cpu_all_threads_ns", b"process.run_delay_all_threads_ns"):
        one.add(SegmentKind.COUNTERS, name=name, last=ns(WALL_S))
    one.add(SegmentKind.COUNTERS, name=b"process.threads", first=1, last=2)
    for main_busy in (0, 1):
        one.add(SegmentKind.CONCURRENCY, place=Place.OUTSIDE, main_busy=main_busy, samples=50, busy=50)
    one.add(SegmentKind.CORES, cpu=1, busy=5)
    one.add(SegmentKind.CORES, cpu=0, busy=190)
    case = made(tmp_path, one)
    assert case.tables.cores is not None
    assert [(core.cpu, core.busy) for core in case.tables.cores.ranks[0].by_core] == [(0, 1.9), (1, 0.05)]
    assert core_picture(case.tables.cores.ranks[0]) == "2 "
    said = found(case, "shared-core")
    assert said is not None
    assert ("threads on core 0 at a time", "1.90") in [(each.what, each.value) for each in said.evidence]


def both_on_one_core(directory: Path, at_start: str, others: str = "") -> Case:
    """A rank of two threads, both on core 0 in the end, whatever it might use at first; or one more rank beside it."""
    ranks = [Rank(number, 1 + bool(others), end_s=WALL_S) for number in range(1 + bool(others))]
    for one, cpus in zip(ranks, (at_start, others), strict=False):
        one.thread.update(tid=1, cpu_ns=ns(WALL_S / 2), run_delay_ns=ns(WALL_S / 2))
        one.fact("process.cpus_allowed", cpus).fact("mpi.library", "Open MPI v4.1.4")
        one.fact("environment.OMP_NUM_THREADS", "2")
        for name in (b"process.cpu_all_threads_ns", b"process.run_delay_all_threads_ns"):
            one.add(SegmentKind.COUNTERS, name=name, last=ns(WALL_S))
        one.add(SegmentKind.COUNTERS, name=b"process.threads", first=1, last=2)
        for tid in (1, 2):
            thread(one, tid, WALL_S / 2, delay_s=WALL_S / 2, cpus="0" if one.rank == 0 else "2")
    return made(directory, *ranks, cores=4)


@pytest.mark.parametrize(("at_start", "others"), [("0-1", ""), ("0-1", "2-3")])
def test_no_launcher_option_is_offered_to_a_program_that_binds_itself(
    at_start: str, others: str, tmp_path: Path
) -> None:
    said = found(both_on_one_core(tmp_path, at_start, others), "shared-core")
    assert said is not None
    assert "might use 2: the program, or a library that it loads, bound the threads itself" in said.says
    assert not [remedy.id for remedy in said.remedies if "bind" in remedy.command]


@pytest.mark.parametrize(("at_start", "others"), [("0", ""), ("0-3", "0-3"), ("0", "2")])
def test_a_launcher_that_gave_too_little_is_told_to_bind_otherwise(at_start: str, others: str, tmp_path: Path) -> None:
    said = found(both_on_one_core(tmp_path, at_start, others), "shared-core")
    assert said is not None
    assert "bound the threads itself" not in said.says
    assert any("--bind-to core" in remedy.command for remedy in said.remedies)


def test_a_main_thread_that_waits_for_a_pool_lends_its_core(tmp_path: Path) -> None:
    one = rank(cpu_s=1.0, blocked_s=9.0)
    for tid in range(2, 5):
        thread(one, tid, 6.0)
    case = made(tmp_path, one)
    lines = lines_of(case)
    assert (lines["threads"], lines["cores"], lines["compute_s"]) == pytest.approx((4, 2, 18.0))
    assert (lines["lent_s"], lines["residue_s"]) == pytest.approx((8.0, 0.0))
    page = case.tables.cores
    assert page is not None
    assert (page.compute_s, page.elsewhere_s) == pytest.approx((19.0, 1.0))


def test_many_threads_that_live_for_a_moment_are_one_more_at_work(tmp_path: Path) -> None:
    one = rank()
    for tid in range(2, 32):
        thread(one, tid, 0.2, flags=THREAD_GONE)
    one.add(SegmentKind.COUNTERS, name=b"process.cpu_all_threads_ns", first=0, last=ns(WALL_S + 8.0))
    lines = lines_of(made(tmp_path, one))
    assert (lines["threads"], lines["compute_s"], lines["residue_s"]) == pytest.approx((2, 8.0, 0.0))


def test_threads_of_the_mpi_are_not_the_programs(tmp_path: Path) -> None:
    one = rank()
    thread(one, 2, 1.5, flags=THREAD_OF_MPI)
    lines = lines_of(made(tmp_path, one))
    assert (lines["threads"], lines["mpi_threads_s"], lines["unused_s"]) == pytest.approx((1, 1.5, 8.5))


def test_ranks_that_may_use_the_same_cores_share_them(tmp_path: Path) -> None:
    ranks = [Rank(number, 2, end_s=WALL_S, thread={"tid": 1, "cpu_ns": ns(WALL_S)}) for number in range(2)]
    for one in ranks:
        one.fact("process.cpus_allowed", "0-3")
        thread(one, 1, WALL_S)
    case = made(tmp_path, *ranks, cores=4)
    assert case.cores is not None
    assert np.array_equal(case.cores.table["cores"], [2.0, 2.0])


def test_a_quota_bounds_what_a_rank_was_given(tmp_path: Path) -> None:
    one = rank(cpus="0-7")
    one.fact("process.cgroup_cpus", "1.500")
    case = made(tmp_path, one, cores=8)
    assert case.cores is not None
    assert case.cores.table["cores"][0] == 1.5


def test_idle_cores_that_somebody_granted(tmp_path: Path) -> None:
    said = found(idle(tmp_path / "bound", True), "idle-allocation")
    assert said is not None
    assert "4 cores, but 3 of them" in said.says
    assert said.cost_s == pytest.approx(7.5)
    assert found(made(tmp_path / "desk", rank(cpus="0-7"), cores=8), "idle-allocation") is None


def test_slurm_grants_more_than_it_binds(tmp_path: Path) -> None:
    """`srun` without --cpus-per-task: one processor of the eight that `sbatch` asked for."""
    one = rank(cpus="0")
    one.fact("environment.SLURM_JOB_CPUS_PER_NODE", "8(x2)")
    said = found(made(tmp_path, one, cores=8), "idle-allocation")
    assert said is not None
    assert said.evidence[0].source == "SLURM_JOB_CPUS_PER_NODE"


@pytest.mark.parametrize(("children_s", "idle_ms", "cores"), [(30.0, 70_000, 0), (0.5, 70_000, 3), (0.0, 1_000, 0)])
def test_cores_that_the_ranks_programs_or_another_step_keep_busy(
    children_s: float, idle_ms: int, cores: int, tmp_path: Path
) -> None:
    """A rank of one thread on four cores: a pool of three processes; a short program; three ranks of another step."""
    one = rank(cpus="0-3")
    one.add(SegmentKind.COUNTERS, name=b"process.children_cpu_ns", first=0, last=ns(children_s))
    said = found(
        case_of([one], tmp_path, MadeHost(facts={"host.cores": "8"}, counters={"cpu.idle_ms": idle_ms})),
        "idle-allocation",
    )
    assert (said is not None) == (cores > 0)
    assert said is None or f"{cores} of them" in said.says


def test_a_main_thread_that_waits_for_the_others_is_no_loss_of_the_process(tmp_path: Path) -> None:
    """Two of three cores compute: that is the threads' doing, and not three times what they could do."""
    one = rank(cpu_s=0.2, cpus="0-2", blocked_s=9.8)
    for tid in (2, 3):
        thread(one, tid, WALL_S)
    cores = made(tmp_path, one, cores=3).tables.cores
    assert cores is not None
    assert cores.parallel_efficiency == pytest.approx(0.67, abs=0.02)
    assert cores.process_efficiency * cores.thread_efficiency == pytest.approx(cores.parallel_efficiency)
    assert cores.thread_efficiency <= 1


def test_a_program_may_ask_for_more_threads_than_the_environment_says(tmp_path: Path) -> None:
    one = rank()
    one.fact("environment.OMP_NUM_THREADS", "1")
    thread(one, 2, WALL_S)
    team(one, 1, WALL_S, region_s=WALL_S)
    team(one, 2, WALL_S)
    assert threads_per_rank(made(tmp_path, one)) == 2


def test_threads_that_nobody_asked_for_are_counted_as_seen(tmp_path: Path) -> None:
    """OMP_NUM_THREADS is not set: each of two ranks starts a thread for each of the machine's two processors."""
    ranks = [Rank(number, 2, end_s=WALL_S) for number in range(2)]
    for one in ranks:
        one.thread.update(tid=1, cpu_ns=ns(WALL_S / 2), run_delay_ns=ns(WALL_S / 2))
        one.fact("process.cpus_allowed", "0-1")
        for name in (b"process.cpu_all_threads_ns", b"process.run_delay_all_threads_ns"):
            one.add(SegmentKind.COUNTERS, name=name, last=ns(WALL_S))
        one.add(SegmentKind.COUNTERS, name=b"process.threads", first=1, last=2)
        thread(one, 1, WALL_S / 2, delay_s=WALL_S / 2)
        thread(one, 2, WALL_S / 2, delay_s=WALL_S / 2)
    case = made(tmp_path, *ranks)
    assert threads_per_rank(case) == 2
    assert [crowd.threads for crowd in crowds(case)] == [4]


def test_a_library_with_a_variable_of_its_own_is_told_as_well(tmp_path: Path) -> None:
    case = crowded_teams(tmp_path, True, told={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"})
    assert threads_per_rank(case) == 2
    said = found(case, "shared-core")
    assert said is not None
    assert any("OPENBLAS_NUM_THREADS=1" in remedy.command for remedy in said.remedies)


def test_setting_up_is_no_serial_section(tmp_path: Path) -> None:
    """The first region begins after 4 s of reading input; from then on there is nothing else."""
    one = rank()
    thread(one, 2, 6.0)
    team(one, 1, 6.0, region_s=6.0)
    one.rows[SegmentKind.TEAMS][-1]["first_ticks"] = TICKS + ns(4.0)
    one.rows[SegmentKind.TEAMS][-1]["last_ticks"] = TICKS + ns(WALL_S)
    team(one, 2, 6.0)
    case = made(tmp_path, one)
    assert lines_of(case)["serial_s"] == pytest.approx(4.0)
    assert found(case, "serial-section") is None


def crowded_teams(directory: Path, waits: bool, active: float = 1.0, told: Mapping[str, str] | None = None) -> Case:
    """Two ranks of two threads on two processors: off the core for half of the time, waiting at barriers, or not. What
    is not `active` of the time they are asleep.
    """
    ranks, used_s = [Rank(number, 2, end_s=WALL_S) for number in range(2)], active * WALL_S
    for one in ranks:
        asleep_s = WALL_S - used_s
        one.thread.update(tid=1, cpu_ns=ns(used_s / 2), run_delay_ns=ns(used_s / 2), blocked_outside_ns=ns(asleep_s))
        one.fact("process.cpus_allowed", "0-1")
        for name, value in (told or {}).items():
            one.fact(f"environment.{name}", value)
        for name in (b"process.cpu_all_threads_ns", b"process.run_delay_all_threads_ns"):
            one.add(SegmentKind.COUNTERS, name=name, last=ns(used_s))
        one.add(SegmentKind.COUNTERS, name=b"process.threads", first=1, last=2)
        for tid in (1, 2):
            thread(one, tid, used_s / 2, delay_s=used_s / 2)
            team(one, tid, used_s * (0.1 if waits else 0.9), region_s=used_s if tid == 1 else 0.0)
    return made(directory, *ranks)


@pytest.mark.parametrize("active", [1.0, 0.2])
def test_barriers_among_threads_that_share_cores_are_no_uneven_shares(tmp_path: Path, active: float) -> None:
    case = crowded_teams(tmp_path, True, active)
    assert found(case, "thread-imbalance") is None
    said = found(case, "shared-core")
    assert said is not None
    assert "4 threads" in said.title
    assert "OMP_NUM_THREADS" in said.remedies[0].command or "1 thread" in said.remedies[0].what


def test_threads_that_take_turns_at_work_lose_nothing(tmp_path: Path) -> None:
    assert found(crowded_teams(tmp_path, False), "shared-core") is None
