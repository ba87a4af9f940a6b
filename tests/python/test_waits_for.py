"""Who waits for whom, where records end in calls that have not returned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from python.made_runs import FUNCTIONS, SECOND, TICKS, Rank, SegmentKind, State, write_all

from clearway.page.build import summarise
from clearway.page.model import Page
from clearway.page.render.terminal import text_of
from clearway.run import load
from clearway.run.layout import PEER_ANY, Activity, Awaits, Place

SIZE = 4


def rank(number: int, end_s: float = 20.0, state: State = State.RUNNING) -> Rank:
    return Rank(number, SIZE, end_s=end_s, state=state)


def inside(made: Rank, function: str, since_s: float = 4.0, **row: Any) -> Rank:
    """In this call since then; `row` is what ends it, where the record says so."""
    opened = {"call_function": FUNCTIONS.index(function) + 1, "call_entry_ticks": TICKS + round(since_s * SECOND)}
    made.thread |= opened
    if row:
        known = {"entry_ticks": opened["call_entry_ticks"], "function": opened["call_function"], "tag": 0, **row}
        made.add(SegmentKind.OPEN_CALLS, **known)
    return made


def receives(number: int, peer: int, since_s: float = 4.0) -> Rank:
    return inside(rank(number), "MPI_Recv", since_s, peer=peer, tag=7, awaits=Awaits.MESSAGE)


def collective(number: int, function: str = "MPI_Allreduce", sequence: int = 41, since_s: float = 4.0) -> Rank:
    made = rank(number).cell("MPI_Allreduce", 0.1, count=sequence)
    return inside(made, function, since_s, awaits=Awaits.COLLECTIVE, sequence=sequence, peer=-1)


def page_of(directory: Path, *ranks: Rank) -> Page:
    return summarise(load(write_all(list(ranks), directory)))


def test_two_that_receive_from_each_other_are_a_deadlock(tmp_path: Path) -> None:
    page = page_of(tmp_path, receives(0, 1), receives(1, 0), collective(2), collective(3))
    graph = page.waits_for
    assert graph is not None and graph.kind == "deadlock"
    cycle = "rank 0 waits in MPI_Recv (tag 7) for rank 1, rank 1 waits in MPI_Recv (tag 7) for rank 0"
    assert cycle in graph.says
    assert page.sentence.endswith(graph.says)
    assert [found.rule for found in page.findings] == ["never-returned"]
    assert page.findings[0].cost_s > 14
    shown = text_of(page)
    assert "Who waits for whom" in shown
    assert "  rank 0 in MPI_Recv on MPI_COMM_WORLD, tag 7, since second 4.0, for" in shown
    assert "      rank 1: in MPI_Recv on MPI_COMM_WORLD, tag 7" in shown
    by_rank = {node.ranks: number for number, node in enumerate(graph.nodes)}
    assert (by_rank[0,], by_rank[1,]) in {(edge.waiter, edge.awaited) for edge in graph.edges}
    assert (2, 3) in by_rank  # both in the same call, for the same ranks


def test_a_ring_is_told_in_order(tmp_path: Path) -> None:
    graph = page_of(tmp_path, *(receives(number, (number + 1) % SIZE) for number in range(SIZE))).waits_for
    assert graph is not None and graph.kind == "deadlock"
    assert "rank 0 waits in MPI_Recv (tag 7) for rank 1, rank 1 waits" in graph.says


def test_calls_that_have_just_begun_are_no_deadlock(tmp_path: Path) -> None:
    page = page_of(tmp_path, receives(0, 1, 19.5), receives(1, 0, 19.5), receives(2, 3, 19.9), receives(3, 2, 19.9))
    assert page.waits_for is None
    assert not page.findings


def test_rows_of_an_older_call_say_nothing(tmp_path: Path) -> None:
    ranks = [receives(0, 1), receives(1, 0), collective(2), collective(3)]
    for each in ranks:
        each.thread["call_entry_ticks"] += 1
    assert page_of(tmp_path, *ranks).waits_for is None


def test_who_receives_from_anyone_may_still_get_a_message(tmp_path: Path) -> None:
    page = page_of(tmp_path, receives(0, PEER_ANY, 19.0), receives(1, 0, 19.0), rank(2), rank(3))
    assert page.waits_for is None


def test_different_collectives(tmp_path: Path) -> None:
    graph = page_of(tmp_path, collective(0, "MPI_Bcast"), *(collective(number) for number in (1, 2, 3))).waits_for
    assert graph is not None and graph.kind == "mismatch"
    assert "collective call 42 on MPI_COMM_WORLD, rank 0 in MPI_Bcast, ranks 1, 2 and 3 in MPI_Allreduce" in graph.says


def test_one_that_made_fewer_calls_and_finalizes(tmp_path: Path) -> None:
    early = inside(rank(3).cell("MPI_Allreduce", 0.1, count=41), "MPI_Finalize", 4.0)
    graph = page_of(tmp_path, *(collective(number) for number in range(3)), early).waits_for
    assert graph is not None and graph.kind == "fewer_calls"
    assert graph.says == (
        "Rank 3 made 41 collective calls on MPI_COMM_WORLD and is in MPI_Finalize; ranks 0, 1 and 2 made 42, and wait "
        "in the last, MPI_Allreduce."
    )


def test_only_one_waits_for_the_one_that_finalizes(tmp_path: Path) -> None:
    early = inside(rank(1).cell("MPI_Allreduce", 0.1, count=41), "MPI_Finalize", 4.0)
    ranks = collective(0), early
    for each in ranks:
        each.world_size = 2
    graph = page_of(tmp_path, *ranks).waits_for
    assert graph is not None and graph.says.endswith("rank 0 made 42, and waits in the last, MPI_Allreduce.")


def test_one_that_stopped(tmp_path: Path) -> None:
    dead = rank(2, end_s=12.3).cell("MPI_Allreduce", 0.1, count=41)
    page = page_of(
        tmp_path, collective(0, since_s=12.5), collective(1, since_s=12.5), dead, collective(3, since_s=12.5)
    )
    assert page.waits_for is not None and page.waits_for.kind == "ended"
    assert page.waits_for.says.startswith("Rank 2 left no record after 12.3 s")
    assert page.waits_for.says.endswith("ranks 0, 1 and 3 wait for it in MPI_Allreduce.")
    assert [found.rule for found in page.findings] == ["never-returned"]


def test_one_that_is_busy_is_named_only_after_long(tmp_path: Path) -> None:
    def job(directory: str, since_s: float) -> Page:
        busy = rank(0).cell("MPI_Allreduce", 0.1, count=41)
        busy.add(SegmentKind.ACTIVITIES, activity=4, place=1, samples=100, last_ticks=TICKS + 19 * SECOND)
        return page_of(tmp_path / directory, busy, *(collective(number, since_s=since_s) for number in (1, 2, 3)))

    graph = job("long", 4.0).waits_for
    assert graph is not None and graph.kind == "busy"
    assert graph.says.endswith("rank 0 is outside MPI, sleeping.")
    short = job("short", 17.5)
    assert short.waits_for is None
    assert "never-returned" not in [found.rule for found in short.findings]


def test_a_one_sided_call_waits_for_the_target_that_is_outside_mpi(tmp_path: Path) -> None:
    """Ranks 2 and 3 are outside MPI, too; rank 0 had locked the window of rank 1."""
    origin = inside(rank(0).one_sided(1, 3.5, 3.9, "MPI_Put"), "MPI_Win_unlock")
    idle = [
        rank(number).add(SegmentKind.ACTIVITIES, activity=Activity.SIGNAL, place=Place.OUTSIDE, samples=150)
        for number in (1, 2, 3)
    ]
    page = page_of(tmp_path, origin, *idle)
    assert page.waits_for is not None and page.waits_for.kind == "busy"
    assert page.waits_for.says.startswith("Rank 0 waits for rank 1 in MPI_Win_unlock since second 4.0, and for no one")
    assert page.findings[0].rule == "never-returned"
    assert page.findings[0].cost_s > 3


def test_a_one_sided_call_whose_target_is_in_mpi_moves_data(tmp_path: Path) -> None:
    origin = inside(rank(0).one_sided(1, 3.5, 3.9, "MPI_Put"), "MPI_Win_unlock")
    page = page_of(tmp_path, origin, inside(rank(1), "MPI_Win_unlock", 4.1), rank(2), rank(3))
    assert page.waits_for is None


def test_a_job_that_ended_waits_for_nobody(tmp_path: Path) -> None:
    ranks = [receives(0, 1), receives(1, 0), rank(2), rank(3)]
    for each in ranks:
        each.state = State.EXITED
    page = page_of(tmp_path, *ranks)
    assert page.waits_for is None
    assert "never-returned" not in [found.rule for found in page.findings]
