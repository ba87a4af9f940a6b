"""The rule about ranks that are blocked outside MPI: only where all are, or the others wait for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SECOND, TICKS, Rank, SegmentKind
from rules.host_jobs import MadeHost, case_of, count, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.rules import Suspicion, blocked
from clearway.run.layout import Activity, EventKind, Place

RANKS = 4


def found_doing(rank: Rank, activity: Activity, seconds: float, of: str = "") -> None:
    """Blocked so long outside MPI, by ten samples a second."""
    rank.thread["blocked_outside_ns"] = round(seconds * SECOND)
    for what, number in ((activity, round(10 * seconds)), (Activity.RUNNING, round(10 * (rank.end_s - seconds)))):
        name = of.encode() if what == activity else b""
        rank.add(SegmentKind.ACTIVITIES, activity=what, place=Place.OUTSIDE, samples=number, object=name)


def world_of(*outside_s: float) -> list[Rank]:
    """Five steps; each rank is outside MPI so long in each, and then meets the others."""
    world = ranks_on(MadeHost(), per_host=RANKS)
    steps_of(world, outside_s)
    return world


def test_a_rank_that_sleeps_while_the_others_wait_is_named(tmp_path: Path) -> None:
    world = world_of(2.0, 1.0, 1.0, 1.0)
    found_doing(world[0], Activity.SLEEPING, 5.0)
    [first, *_] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert first.finding.rule == "blocked"
    assert first.finding.title == "Time goes into sleeping"
    assert "While the others waited for it, rank 0 was blocked" in first.finding.says
    assert first.finding.share == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("child", "ranks", "nested"),
    [("mpirun.openmpi", RANKS, True), ("mpirun", 1, False), ("python3", RANKS, False)],
)
def test_ranks_that_each_start_an_mpi_job_are_told_so(tmp_path: Path, child: str, ranks: int, nested: bool) -> None:
    """One rank that starts a job while the others wait may have all cores for it."""
    world = world_of(*(2.0 if number < ranks else 1.0 for number in range(RANKS)))
    for rank in world[:ranks]:
        found_doing(rank, Activity.CHILD, 5.0, child)
    [first, *_] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert first.finding.rule == "blocked"
    assert ("without mpirun around it" in first.finding.says) == nested


@pytest.mark.parametrize(("held", "other_end"), [(40, False), (10, True), (0, True)])
def test_a_peer_is_not_blamed_where_tcp_kept_the_ranks_own_data_back(
    held: int, other_end: bool, tmp_path: Path
) -> None:
    """Of 100 samples in 10 s; an older record has 0."""
    world = world_of(2.0, 1.0, 1.0, 1.0)
    found_doing(world[0], Activity.RECEIVING, 5.0, "127.0.0.1:31415")
    world[0].add(
        SegmentKind.SOCKETS,
        family=2,
        peer_address=bytes([127, 0, 0, 1]),
        peer_port=31415,
        first_ticks=TICKS,
        last_ticks=TICKS + 10 * SECOND,
        samples=100,
        held=held,
    )
    [first, *_] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert first.finding.rule == "blocked"
    assert ("Look at the other end" in first.finding.says) == other_end
    assert ("wait for the acknowledgement of earlier ones" in first.finding.title) != other_end
    kept = [each.value for each in first.finding.evidence if each.what == "data kept back by TCP"]
    assert kept == ([] if other_end else ["40 of 100 samples"])


@pytest.mark.parametrize(("used_s", "own"), [(1.0, True), (0.01, False)])
def test_who_reads_from_a_program_that_it_started_itself_is_told_to_keep_it(
    used_s: float, own: bool, tmp_path: Path
) -> None:
    world = world_of(2.0, 1.0, 1.0, 1.0)
    found_doing(world[0], Activity.EMPTY_PIPE, 5.0, "lmp")
    count(world[0], "process.children_cpu_ns", round(used_s * SECOND))
    [first, *_] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert first.finding.rule == "blocked"
    assert ("starts the programs itself" in first.finding.says) == own
    assert ("should write to the pipe" in first.finding.says) != own


def test_who_was_hardly_ever_seen_in_it_is_not_counted_among_those_in_it(tmp_path: Path) -> None:
    world = world_of(2.0, 1.0, 1.0, 1.0)
    for rank, seconds in zip(world, (5.0, 0.1, 0.1, 0.1), strict=True):
        found_doing(rank, Activity.CHILD, seconds, "sh")
    [first, *_] = diagnose(case_of(world, tmp_path, MadeHost()))
    [child] = [each for each in first.finding.evidence if each.what == "waiting for a child (sh)"]
    assert child.value == "5.30 s, most of it rank 0"


def test_what_all_ranks_do_costs_what_the_least_of_them_does(tmp_path: Path) -> None:
    world = world_of(2.0, 2.0, 2.0, 2.0)
    for rank, seconds in zip(world, (3.0, 4.0, 4.0, 5.0), strict=True):
        found_doing(rank, Activity.FULL_PIPE, seconds, "stdout")
    [only] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert only.finding.title == "Time goes into writing to a full pipe (stdout)"
    assert "All 4 ranks were" in only.finding.says
    assert only.finding.cost_s == pytest.approx(3.0)


def test_a_rank_that_sleeps_while_the_others_compute_costs_nothing(tmp_path: Path) -> None:
    world = world_of(2.0, 2.0, 2.0, 2.0)
    found_doing(world[0], Activity.SLEEPING, 9.0)
    assert blocked.examine(case_of(world, tmp_path, MadeHost())) is None


def test_a_sleeper_is_not_blamed_for_what_another_rank_is_waited_for(tmp_path: Path) -> None:
    world = world_of(1.0, 2.0, 1.0, 1.0)
    found_doing(world[0], Activity.SLEEPING, 4.0)
    assert blocked.examine(case_of(world, tmp_path, MadeHost())) is None


@pytest.mark.parametrize("activity", [Activity.OTHER_THREAD, Activity.INPUT, Activity.BLOCKED])
def test_who_may_be_computing_elsewhere_is_no_fault(tmp_path: Path, activity: Activity) -> None:
    world = world_of(2.0, 2.0, 2.0, 2.0)
    for rank in world:
        found_doing(rank, activity, 5.0, "/dev/nvidia0")
    assert blocked.examine(case_of(world, tmp_path, MadeHost())) is None


def test_all_ranks_that_sleep_may_wait_for_each_other(tmp_path: Path) -> None:
    """One that always comes last, by computing, has slept as long as the others by chance a little longer."""
    world = world_of(2.0, 1.5, 1.5, 1.5)
    for rank, seconds in zip(world, (5.2, 5.0, 5.0, 5.0), strict=True):
        found_doing(rank, Activity.SLEEPING, seconds)
    assert blocked.examine(case_of(world, tmp_path, MadeHost())) is None


def test_ranks_that_wait_for_a_child_in_turn_are_named(tmp_path: Path) -> None:
    """Each of four ranks is held up by one in another step: all others wait for it, and all cost adds up."""
    world = ranks_on(MadeHost(), per_host=RANKS)
    for step in range(8):
        for rank in world:
            late = step % RANKS == rank.rank
            blocked_s = 0.5 if late else 0.0
            rank.collective("MPI_Allreduce", 1.5 * step + 1 + blocked_s, 1.5 * step + 1.5, blocked_before_s=blocked_s)
    for rank in world:
        rank.end_s = 12.0
        found_doing(rank, Activity.CHILD, 1.0, "sort")
    [only] = diagnose(case_of(world, tmp_path, MadeHost()))
    assert only.finding.title == "Time goes into waiting for a child (sort)"
    assert "While the others waited, 4 of 4 ranks were in turn blocked" in only.finding.says
    assert only.finding.cost_s == pytest.approx(8 * 0.5, rel=0.01)


def test_all_ranks_that_wait_for_children_are_named_where_they_are_ranks_of_mpi(tmp_path: Path) -> None:
    world = world_of(2.0, 2.0, 2.0, 2.0)
    for rank in world:
        found_doing(rank, Activity.CHILD, 5.0, "sh")
    [only] = diagnose(case_of(world, tmp_path / "mpi", MadeHost()))
    assert only.finding.title == "Time goes into waiting for a child (sh)"
    alone = Rank(-1, 0)
    found_doing(alone, Activity.CHILD, 9.0, "l502.exe")
    assert blocked.examine(case_of([alone], tmp_path / "serial", MadeHost())) is None


def test_a_little_of_it_is_silent(tmp_path: Path) -> None:
    world = world_of(2.0, 2.0, 2.0, 2.0)
    for rank in world:
        found_doing(rank, Activity.LOCK, 0.25, "/db")
    assert blocked.examine(case_of(world, tmp_path, MadeHost())) is None


def asleep_before(function: str, directory: Path) -> Suspicion | None:
    """All ranks sleep for half of each of ten seconds, before this call."""
    world = ranks_on(MadeHost(), per_host=RANKS)
    for rank in world:
        for step in range(10):
            if function == "MPI_Allreduce":
                rank.collective(function, step + 1.0, step + 1.0, blocked_before_s=0.5)
            else:
                rank.cell(function, 0.0)
                rank.event(EventKind.COMPLETED, function, step + 1.0, step + 1.0, blocked_before_s=0.5)
        rank.end_s = 10.0
        found_doing(rank, Activity.SLEEPING, 5.0)
    return blocked.examine(case_of(world, directory, MadeHost()))


def test_sleep_in_all_ranks_costs_unless_they_look_for_messages_meanwhile(tmp_path: Path) -> None:
    found = asleep_before("MPI_Allreduce", tmp_path / "calls")
    assert found is not None
    assert "All 4 ranks were" in found.says
    assert sum(found.claims.values()) == pytest.approx(RANKS * 5.0)
    assert asleep_before("MPI_Test", tmp_path / "polls") is None


@pytest.mark.parametrize("waits", [True, False], ids=["for a server", "for nobody"])
def test_who_sleeps_between_looks_waits_for_who_is_blocked(waits: bool, tmp_path: Path) -> None:
    """Rank 0 sleeps until rank 1 has come, half of each second. That was blocked as long, or computed."""
    looking, late = world = ranks_on(MadeHost(), per_host=2)
    for step in range(10):
        looking.cell("MPI_Test", 0.0)
        looking.event(EventKind.COMPLETED, "MPI_Test", step + 0.9, step + 0.9, blocked_before_s=0.5)
        late.collective("MPI_Allreduce", step + 0.9, step + 0.9, blocked_before_s=0.5 if waits else 0.0)
    found_doing(looking, Activity.SLEEPING, 5.0)
    if waits:
        found_doing(late, Activity.RECEIVING, 5.0, "127.0.0.1:27000")
    found = blocked.examine(case_of(world, tmp_path, MadeHost()))
    assert (found is not None) == waits
    if found is not None:
        assert sum(found.claims.values()) == pytest.approx(2 * 5.0)
        assert "waiting for 127.0.0.1:27000" in found.says


def test_who_is_blocked_and_who_waits_for_it_lose_as_much(tmp_path: Path) -> None:
    """In each step all are blocked, another rank a little longer: what the others wait for it is lost like the rest."""
    world = ranks_on(MadeHost(), per_host=RANKS)
    for step in range(8):
        for rank in world:
            blocked_s = 0.5 if step % RANKS == rank.rank else 0.25
            rank.collective("MPI_Allreduce", step + 0.5 + blocked_s, step + 1.0, blocked_before_s=blocked_s)
    for rank in world:
        rank.end_s = 8.0
        found_doing(rank, Activity.LOCK, 2 * 0.5 + 6 * 0.25, "/db")
    found = blocked.examine(case_of(world, tmp_path, MadeHost()))
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(RANKS * 8 * 0.5, rel=0.01)
