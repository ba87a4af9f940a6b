"""The line "other" of made records, divided by what the recorder found the ranks doing."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import SECOND, Rank, SegmentKind, write_all

from clearway.ledger import account
from clearway.ledger.blocked import Part, parts
from clearway.page.build import summarise
from clearway.page.model import Page
from clearway.page.render.highlights import blocked_in
from clearway.run import load
from clearway.run.layout import Activity, Place


def found(rank: Rank, activity: Activity, samples: int, of: str = "", place: Place = Place.OUTSIDE) -> Rank:
    return rank.add(
        SegmentKind.ACTIVITIES, activity=activity, place=place, samples=samples, object=of.encode("utf-8", "replace")
    )


def blocked_for(seconds: float, **thread: int) -> Rank:
    """A rank of 10 s, half a second of it before its record and one in MPI_Init."""
    thread |= {"blocked_outside_ns": round(seconds * SECOND)}
    return Rank(0, 1, recording_s=0.5, thread=thread).cell("MPI_Init", 1.0)


def parts_of(directory: Path, rank: Rank) -> dict[str, Part]:
    run = load(write_all([rank], directory))
    return {part.activity + part.object: part for part in parts(run, account(run))}


def page_of(directory: Path, rank: Rank) -> Page:
    return summarise(load(write_all([rank], directory)))


def test_blocked_seconds_go_by_samples_and_the_rest_is_exact(tmp_path: Path) -> None:
    rank = found(found(blocked_for(4.0), Activity.SLEEPING, 30), Activity.CHILD, 10, "sh")
    found(found(rank, Activity.RUNNING, 45), Activity.SLEEPING, 10, place=Place.MPI)
    said = parts_of(tmp_path, rank)
    assert {name: part.seconds for name, part in said.items()} == pytest.approx(
        {"before_record": 0.5, "MPI_Init": 1.0, "sleeping": 3.0, "childsh": 1.0}
    )
    assert said["sleeping"].samples == 30
    assert said["MPI_Init"].samples == 0


def test_few_samples_do_not_name_all_that_was_blocked(tmp_path: Path) -> None:
    """95 samples in 9.5 s: one stands for 0.1 s, and for no more than twice that."""
    said = parts_of(tmp_path, found(found(blocked_for(4.0), Activity.SLEEPING, 5), Activity.RUNNING, 90))
    assert said["sleeping"].seconds == pytest.approx(1.0)
    assert said["unnamed"].seconds == pytest.approx(3.0)


def test_a_stray_sample_does_not_name_the_time_in_which_the_sampler_stood_still(tmp_path: Path) -> None:
    """Rank 1 was stopped for 4 s, as rank 0 was, but its recorder found no more than one look at a page's wait."""
    ranks = [Rank(rank, 2, thread={"blocked_outside_ns": 4 * SECOND}) for rank in range(2)]
    found(found(ranks[0], Activity.STOPPED, 80), Activity.RUNNING, 120)
    found(found(ranks[1], Activity.MEMORY, 1), Activity.RUNNING, 119)
    run = load(write_all(ranks, tmp_path))
    said = {(part.process, part.activity): part.seconds for part in parts(run, account(run))}
    assert said[0, "stopped"] == pytest.approx(4.0)
    assert said[1, "memory"] < 0.2
    assert said[1, "unnamed"] > 3.8


def test_what_only_the_kernel_knows_is_unnamed_and_said(tmp_path: Path) -> None:
    rank = found(found(blocked_for(4.0), Activity.BLOCKED, 40, "rpc_wait_bit_killable"), Activity.RUNNING, 55)
    assert parts_of(tmp_path, rank)["unnamed"].seconds == pytest.approx(4.0)
    sentence = page_of(tmp_path, rank).sentence.split(". ")[1]
    assert sentence == "Ranks were blocked outside MPI for 40 % of it; the record does not show what they waited for."


def test_a_record_without_samples_claims_nothing(tmp_path: Path) -> None:
    page = page_of(tmp_path, blocked_for(4.0))
    assert "does not show what they waited for" not in page.sentence
    assert [row.activity for row in page.blocked] == ["MPI_Init", "before_record", "unnamed"]


def test_most_of_it_is_said_in_the_sentence(tmp_path: Path) -> None:
    rank = found(found(blocked_for(6.0), Activity.LOCK, 60, "/scratch/db"), Activity.RUNNING, 35)
    page = page_of(tmp_path, rank)
    assert "blocked outside MPI (most of it waiting for a lock on /scratch/db)" in page.sentence
    assert blocked_in(page, "other_s").replace("\N{NO-BREAK SPACE}", " ") == (
        "waiting for a lock on /scratch/db 6.00 s · in MPI_Init 1.00 s · starting, before the record began 500 ms "
        "(60 samples)"
    )


def test_calls_for_locks_are_timed_and_need_no_sample(tmp_path: Path) -> None:
    rank = found(blocked_for(0.0, io_ticks=3 * SECOND), Activity.LOCK, 20, "/db", Place.FILE)
    rank.add(SegmentKind.FILES, path=b"/log").add(SegmentKind.FILES, path=b"/db")
    for file, seconds in ((1, 0.25), (1, 0.5), (0, 0.125), (7, 0.125)):
        rank.add(SegmentKind.LOCKS, file=file, calls=1, ticks=round(seconds * SECOND))
    said = parts_of(tmp_path, rank)
    locks = {name: part.seconds for name, part in said.items() if name.startswith("lock")}
    assert locks == pytest.approx({"lock/db": 0.75, "lock/log": 0.125, "lock": 0.125})
    assert {part.line for name, part in said.items() if name.startswith("lock")} == {"io_s"}


def test_locks_that_other_threads_waited_for_are_no_more_than_the_time_in_files(tmp_path: Path) -> None:
    rank = blocked_for(0.0, io_ticks=SECOND).add(SegmentKind.FILES, path=b"/db")
    rank.add(SegmentKind.LOCKS, file=0, calls=9, ticks=5 * SECOND)
    assert parts_of(tmp_path, rank)["lock/db"].seconds == pytest.approx(1.0)


def test_a_process_that_was_stopped_is_said_to_have_been(tmp_path: Path) -> None:
    rank = found(found(blocked_for(4.0), Activity.STOPPED, 40), Activity.RUNNING, 55)
    assert "most of it being stopped from outside (SIGSTOP)" in page_of(tmp_path, rank).sentence


def test_locks_in_file_functions_stand_under_file_io(tmp_path: Path) -> None:
    rank = found(blocked_for(0.0, io_ticks=3 * SECOND), Activity.LOCK, 20, "/db", Place.FILE)
    said = parts_of(tmp_path, found(found(rank, Activity.RUNNING, 10, place=Place.FILE), Activity.RUNNING, 65))
    assert said["lock/db"].line == "io_s"
    assert said["lock/db"].seconds == pytest.approx(2.0)


def test_objects_of_many_ranks_stand_together(tmp_path: Path) -> None:
    ranks = [Rank(rank, 5, thread={"blocked_outside_ns": 4 * SECOND}) for rank in range(5)]
    for rank in ranks:
        found(found(rank, Activity.LOCK, 40, f"/db.{rank.rank}"), Activity.RUNNING, 60)
    [row] = summarise(load(write_all(ranks, tmp_path))).blocked
    assert (row.what, row.ranks, row.seconds) == ("waiting for a lock on /db.0 and 4 more", 5, pytest.approx(20.0))


def test_samples_of_nonsense_harm_nobody(tmp_path: Path) -> None:
    rank = found(found(blocked_for(4.0), Activity.LOCK, 0, "/db", Place.FILE), Activity.SLEEPING, 0)
    rank.add(SegmentKind.ACTIVITIES, activity=999, place=77, samples=2**32 - 1, object=b"\xff\x1b[31m")
    rank.add(SegmentKind.ACTIVITIES, activity=998, place=1, samples=2**32 - 1, object=b"\xff\x1b[31m")
    page = page_of(tmp_path, rank)
    assert "\x1b" not in blocked_in(page, "other_s")
    assert sum(row.seconds for row in page.blocked if row.line == "other_s") == pytest.approx(page.ledger.other_s)


def of_two(directory: Path, met: int, blocked_s: float) -> dict[int, dict[str, float]]:
    """Two ranks of 10 s, 100 samples each: the first slept for a second, the second was met asleep so often."""
    ranks = [Rank(0, 2, thread={"blocked_outside_ns": SECOND}), Rank(1, 2)]
    ranks[1].thread["blocked_outside_ns"] = round(blocked_s * SECOND)
    found(found(ranks[0], Activity.SLEEPING, 10), Activity.RUNNING, 90)
    found(found(ranks[1], Activity.SLEEPING, met), Activity.RUNNING, 100 - met)
    run = load(write_all(ranks, directory))
    said: dict[int, dict[str, float]] = {0: {}, 1: {}}
    for part in parts(run, account(run)):
        said[part.process][part.activity] = part.seconds
    return said


def test_a_rank_that_no_sample_met_by_chance_did_as_the_others(tmp_path: Path) -> None:
    assert of_two(tmp_path, met=0, blocked_s=0.2)[1] == pytest.approx({"sleeping": 0.2})


def test_a_rank_that_samples_should_have_met_keeps_its_secret(tmp_path: Path) -> None:
    assert of_two(tmp_path, met=0, blocked_s=0.6)[1] == pytest.approx({"unnamed": 0.6})
