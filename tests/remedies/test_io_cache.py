"""Scratch files in memory: which, in how much of it, and what is promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from harness import made_pages
from python.made_runs import Rank, SegmentKind
from remedies.made_cases import offer
from rules.host_jobs import SECOND_NS, MadeHost, case_of, ranks_on

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.scratch import as_option, scratch_files
from clearway.diagnosis.rules import file_wait
from clearway.run.layout import FILE_DELETED, FILE_DIRECT, FILE_EXISTED, FILE_STDIO, FILE_WRITTEN

MB = 1 << 20
SCRATCH = FILE_WRITTEN | FILE_DELETED


def add_file(rank: Rank, path: str, size_mb: int, read_s: int, write_s: int, flags: int, again: int = 10) -> None:
    """Written once, read `again` times."""
    rank.add(
        SegmentKind.FILES,
        path=path.encode(),
        extent_bytes=size_mb * MB,
        written_bytes=size_mb * MB,
        read_bytes=again * size_mb * MB,
        reads=again * size_mb,
        read_ticks=read_s * SECOND_NS,
        write_ticks=write_s * SECOND_NS,
        flags=flags,
    )
    rank.thread["io_ticks"] = rank.thread.get("io_ticks", 0) + (read_s + write_s) * SECOND_NS


def job(directory: Path, *files: tuple[str, int, int, int, int], ranks: int = 1) -> Case:
    """Each rank has its own of each file; "#" in a name is its number."""
    world = ranks_on(MadeHost(), per_host=ranks)
    for rank in world:
        for name, *values in files:
            add_file(rank, name.replace("#", str(rank.rank)), *values)
    return case_of(world, directory, MadeHost())


def test_scratch_that_is_deleted_is_moved_at_the_speed_of_memory(tmp_path: Path) -> None:
    found = offer("io-cache", job(tmp_path, ("/nfs/w/water.aoints.#", 100, 8, 2, SCRATCH)), "file-wait")
    assert found is not None and found.change is not None
    assert found.gain == pytest.approx(1 - 11 * 100 * MB / 1e9 / 10)
    assert found.change.recorder_options == ("--io-cache=110Mi", "--io-cache-files=/nfs/w/water.aoints.*")


def test_what_outlives_the_job_is_written_once_more(tmp_path: Path) -> None:
    found = offer("io-cache", job(tmp_path, ("/nfs/w/water.OrdInt", 100, 8, 2, FILE_WRITTEN)), "file-wait")
    assert found is not None
    assert found.gain == pytest.approx(1 - (11 * 100 * MB / 1e9 + 2) / 10)


def test_programs_that_run_one_after_the_other_wait_one_after_the_other(tmp_path: Path) -> None:
    """The first starts three more and waits for them; each of these reads for 5 s."""
    world = [Rank(number, 4, header={"rank": -1, "world_size": 0}) for number in range(4)]
    for number, rank in enumerate(world):
        rank.begin_s = rank.recording_s = max(0, 10.0 * (number - 1))
        rank.end_s = 10.0 * number or 30.0
    world[0].thread["blocked_outside_ns"] = 30 * SECOND_NS
    for rank in world[1:]:
        add_file(rank, "/nfs/w/water.OrdInt", 100, 5, 0, FILE_WRITTEN)
    case = case_of(world, tmp_path, MadeHost())
    [found] = [one.finding for one in diagnose(case) if one.finding.rule == "file-wait"]
    assert found.cost_s == pytest.approx(15, rel=0.01)


def test_ranks_share_the_memory_of_their_host(tmp_path: Path) -> None:
    case = job(tmp_path, ("/nfs/w/water.aoints.#", 100, 8, 2, SCRATCH), ranks=4)
    found = offer("io-cache", case, "file-wait")
    assert found is not None and found.change is not None
    assert found.change.recorder_options[0] == "--io-cache=420Mi"


@pytest.mark.parametrize(
    ("path", "flags", "read_s"),
    [
        ("/nfs/w/input", SCRATCH | FILE_EXISTED, 8),  # somebody else's
        ("/nfs/w/result", FILE_WRITTEN | FILE_STDIO, 8),  # past the library
        ("/nfs/w/direct", SCRATCH | FILE_DIRECT, 8),  # past every cache, as the program wants it
        ("/dev/shm/scratch", SCRATCH, 8),  # in memory
        ("/nfs/w/fast", SCRATCH, 0),  # as fast as memory
    ],
)
def test_other_files_stay_where_they_are(tmp_path: Path, path: str, flags: int, read_s: int) -> None:
    case = job(tmp_path, (path, 100, read_s, 0, flags))
    assert scratch_files(case) == ()
    assert offer("io-cache", case, "file-wait") is None


@pytest.mark.parametrize(("ranks", "offered"), [(1, True), (2, False)])
def test_what_ranks_have_open_at_one_time_is_in_nobodys_memory(tmp_path: Path, ranks: int, offered: bool) -> None:
    """Through MPI-IO each of them has opened the file, which then does not enter the cache."""
    world = ranks_on(MadeHost(), per_host=2)
    for rank in world:
        add_file(rank, "/nfs/w/shared", 100, 8, 2, FILE_WRITTEN)
    for rank in world[:ranks]:
        rank.add(SegmentKind.MPI_FILES, path=b"/nfs/w/../w/shared")
    assert (offer("io-cache", case_of(world, tmp_path, MadeHost()), "file-wait") is not None) == offered


@pytest.mark.parametrize(("budget_mb", "offered"), [(50, True), (120, False)])
def test_a_cache_that_is_too_small_is_to_be_larger(tmp_path: Path, budget_mb: int, offered: bool) -> None:
    case = job(tmp_path, ("/nfs/w/water.aoints.#", 100, 8, 2, SCRATCH))
    in_force = replace(made_pages.io_cache(), budget_bytes=budget_mb * MB)
    case = replace(case, tables=replace(case.tables, io_cache=in_force))
    assert (offer("io-cache", case, "file-wait") is not None) == offered


def test_where_the_page_cache_is_enough_the_finding_says_so(tmp_path: Path) -> None:
    found = file_wait.examine(job(tmp_path, ("/tmp/scratch", 1000, 1, 1, SCRATCH)))
    assert found is not None
    assert "page cache holds it" in found.says


def test_sizes_are_rounded_up_to_two_digits() -> None:
    assert [as_option(size) for size in (1, 77.3 * MB, 78 * MB, 1234 * MB, 4 << 30)] == [
        "1Mi",
        "78Mi",
        "78Mi",
        "1300Mi",
        "4100Mi",
    ]


def test_files_that_are_only_written_are_not_said_to_be_read(tmp_path: Path) -> None:
    [rank] = world = ranks_on(MadeHost())
    add_file(rank, "/nfs/w/scratch", 100, 0, 8, SCRATCH, again=0)
    found = offer("io-cache", case_of(world, tmp_path, MadeHost()), "file-wait")
    assert found is not None
    assert "only wrote" in found.why
