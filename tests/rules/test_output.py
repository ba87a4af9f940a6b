"""Rules about what a job prints, and about files that are written a few bytes at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, SegmentKind
from rules.host_jobs import SECOND_NS, MadeHost, case_of, count, off_the_core, ranks_on, steps_of
from rules.test_files import use_file

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.rules import file_wait, foreign_load, output, small_writes
from clearway.run.layout import FILE_LINES, FILE_STDIO, FILE_UNBUFFERED, FILE_WRITTEN, Activity, Place

TINY = {"writes": 2_400_000, "written_bytes": 64 * 2_400_000, "write_ticks": 5, "flags": FILE_WRITTEN}
TINY["extent_bytes"] = TINY["written_bytes"]
LINES = {"writes": 200_000, "written_bytes": 64 * 200_000, "write_ticks": 4}


def one_rank(directory: Path, path: str, **fields: int) -> Case:
    [rank] = ranks_on(MadeHost())
    use_file(rank, path, **fields)
    return case_of([rank], directory, MadeHost())


def test_many_writes_of_few_bytes_are_told_with_their_number_and_cost(tmp_path: Path) -> None:
    case = one_rank(tmp_path, "/work/energies.dat", **TINY)
    [only] = diagnose(case)
    assert only.finding.rule == "small-writes"
    assert only.finding.cost_s == pytest.approx(5 - 64 * 2_400_000 / 3e9)
    assert "2,400,000 writes of 64 B on average" in only.finding.says
    assert "read again" not in only.finding.says
    assert "2.06 µs" in {each.value for each in only.finding.evidence}
    assert "only wrote" in only.offers["io-cache"].why


@pytest.mark.parametrize(
    ("path", "name", "value", "told"),
    [
        ("/work/energies.dat", "GFORTRAN_UNBUFFERED_ALL", "y", True),
        ("/work/energies.dat", "GFORTRAN_UNBUFFERED_ALL", "n", False),
        ("/work/energies.dat", "GFORTRAN_UNBUFFERED_PRECONNECTED", "y", False),
        ("stdout", "GFORTRAN_UNBUFFERED_PRECONNECTED", "y", True),
        ("/work/energies.dat", "FORT_BUFFERED", "FALSE", True),
        ("/work/energies.dat", "FORT_BUFFERED", "true", False),
        ("stdout", "PYTHONUNBUFFERED", "1", False),  # the program is not Python
    ],
)
def test_a_variable_that_switches_the_buffer_off_is_named(
    tmp_path: Path, path: str, name: str, value: str, told: bool
) -> None:
    [rank] = ranks_on(MadeHost())
    rank.fact(f"environment.{name}", value)
    use_file(rank, path, **TINY)
    [found] = diagnose(case_of([rank], tmp_path, MadeHost()))
    assert (f"{name}={value} in the environment switches off the buffer" in found.finding.says) == told


@pytest.mark.parametrize(
    "instead",
    [
        {"writes": 4_700, "written_bytes": 4_700 << 15},  # the same bytes, 32 KiB a call
        {"writes": 9_000, "written_bytes": 9_000 * 64},  # few calls
        {"flags": FILE_WRITTEN | FILE_STDIO},  # C's library gathers them
    ],
)
def test_large_few_and_gathered_writes_are_no_small_ones(tmp_path: Path, instead: dict[str, int]) -> None:
    case = one_rank(tmp_path, "/work/energies.dat", **{**TINY, **instead})
    assert small_writes.examine(case) is None
    assert file_wait.examine(case) is not None


def test_tiny_writes_that_are_as_fast_as_a_file_grows_are_not_for_the_cache(tmp_path: Path) -> None:
    """0.83 us each: in the cache, each would have to tell the file system of the new length."""
    [only] = diagnose(one_rank(tmp_path, "/work/energies.dat", **{**TINY, "write_ticks": 2}))
    assert only.finding.rule == "small-writes"
    assert not only.offers


@pytest.mark.parametrize(("writes", "pieces", "said"), [(120, 2_400_000, True), (2_400_000, 2_400_000, False)])
def test_what_the_mpi_cut_into_pieces_is_said_to_be(writes: int, pieces: int, said: bool, tmp_path: Path) -> None:
    """Not of a program that itself writes a few bytes at a time."""
    [rank] = ranks_on(MadeHost())
    use_file(rank, "/work/energies.dat", **TINY)
    rank.fact("process.cwd", "/work")
    rank.add(SegmentKind.MPI_FILES, path=b"energies.dat", independent_writes=writes, requests=(pieces, 0, 0))
    found = small_writes.examine(case_of([rank], tmp_path, MadeHost()))
    assert found is not None
    assert ("cut each into 20,000 pieces" in found.says) == said


def test_small_writes_that_cost_nothing_are_silent(tmp_path: Path) -> None:
    assert diagnose(one_rank(tmp_path, "/work/energies.dat", **{**TINY, "write_ticks": 0})) == ()


@pytest.mark.parametrize("kept", [FILE_UNBUFFERED, FILE_LINES])
def test_a_stream_that_keeps_nothing_back_writes_little(tmp_path: Path, kept: int) -> None:
    found = small_writes.examine(one_rank(tmp_path, "/w/x", **{**TINY, "flags": FILE_WRITTEN | FILE_STDIO | kept}))
    assert found is not None
    assert ("setvbuf" in found.says) == (kept == FILE_UNBUFFERED)


def test_prints_are_told_apart_from_files(tmp_path: Path) -> None:
    case = one_rank(tmp_path, "stdout", **LINES)
    [only] = diagnose(case)
    assert only.finding.rule == "output"
    assert only.finding.title == "Printing takes time"
    assert only.finding.cost_s == pytest.approx(4.0)
    assert "The program printed 200,000 times, 64 B on average, to stdout." in only.finding.says
    assert [*only.offers] == ["output-file"]
    assert file_wait.examine(case) is None
    assert small_writes.examine(case) is None


def test_standard_output_that_is_a_file_is_output_too(tmp_path: Path) -> None:
    [rank] = ranks_on(MadeHost())
    rank.fact("process.stdout", "/w/job.log")
    use_file(rank, "/w/job.log", **LINES)
    found = output.examine(case_of([rank], tmp_path, MadeHost()))
    assert found is not None
    assert "to /w/job.log" in found.says


def test_who_prints_without_loss_is_not_told(tmp_path: Path) -> None:
    assert diagnose(one_rank(tmp_path, "stdout", **{**LINES, "write_ticks": 0})) == ()


def test_a_pipe_that_is_full_is_told_as_that(tmp_path: Path) -> None:
    [rank] = ranks_on(MadeHost())
    use_file(rank, "stdout", **{**LINES, "writes": 300, "written_bytes": 300_000})
    for activity, place, samples in ((Activity.FULL_PIPE, Place.FILE, 38), (Activity.RUNNING, Place.OUTSIDE, 60)):
        of = b"stdout" if activity == Activity.FULL_PIPE else b""
        rank.add(SegmentKind.ACTIVITIES, activity=activity, place=place, samples=samples, object=of)
    case = case_of([rank], tmp_path, MadeHost())
    [only] = diagnose(case)
    assert only.finding.rule == "output"
    assert only.finding.title == "Ranks wait for the reader of their output"
    assert "because the reader took no more" in only.finding.says
    assert [row.what for row in case.tables.blocked if row.line == "io_s"] == ["writing to a full pipe (stdout)"]


def passed_on(directory: Path, prints: int, launcher_s: float, others_s: float, waited_s: float = 2.0) -> Case:
    """Two ranks of 10 s that have printed into terminals, and waited for cores that others had."""
    busy_s = 20 + launcher_s + others_s
    counters = {"cpu.user_ms": round(busy_s * 1000), "launcher.4711.cpu_ms": round(launcher_s * 1000)}
    host = MadeHost(counters=counters)
    world = ranks_on(host, per_host=2)
    steps_of(world, [2.0, 2.0])
    for rank in world:
        print_into_terminal(rank, prints)
        off_the_core(rank, waited_s)
        count(rank, "process.cpu_all_threads_ns", 10 * SECOND_NS)
    return case_of(world, directory, host)


def print_into_terminal(rank: Rank, prints: int) -> None:
    rank.fact("process.stdout_to", "/dev/pts/3")
    use_file(rank, "stdout", writes=prints, written_bytes=64 * prints)


def test_passing_on_is_the_jobs_own(tmp_path: Path) -> None:
    """Three seconds of the launcher, and one of the kernel for 100,000 lines: of the 4 s that ranks waited, all."""
    case = passed_on(tmp_path, prints=50_000, launcher_s=3.0, others_s=1.0)
    assert foreign_load.examine(case) is None
    found = output.examine(case)
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(4.0)
    assert "4.00 CPU-seconds" in {each.value for each in found.evidence}


def test_where_strangers_had_the_cores_too_only_its_part_is_the_outputs(tmp_path: Path) -> None:
    """Two of five core-seconds that were used beside the ranks: of the 1 s that they waited, 0.4."""
    case = passed_on(tmp_path, prints=50_000, launcher_s=1.0, others_s=4.0, waited_s=0.5)
    found, strangers = output.examine(case), foreign_load.examine(case)
    assert found is not None and strangers is not None
    assert found.claims["core_wait_s"] == pytest.approx(0.4)
    assert "2.00 CPU-seconds" in {each.value for each in found.evidence}


def test_a_launcher_is_busy_with_other_things_too(tmp_path: Path) -> None:
    """Of its three seconds 50,000 prints explain 2.5 at most."""
    found = output.examine(passed_on(tmp_path, prints=25_000, launcher_s=3.0, others_s=0.0))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(2.5)


def test_a_thousand_prints_a_second_are_passed_on_for_nothing(tmp_path: Path) -> None:
    assert output.examine(passed_on(tmp_path, prints=5_000, launcher_s=0.1, others_s=9.0, waited_s=1.0)) is None


def test_beside_it_strangers_are_still_strangers(tmp_path: Path) -> None:
    found = foreign_load.examine(passed_on(tmp_path, prints=50_000, launcher_s=0.0, others_s=4.0))
    assert found is not None
    assert found.claims["core_wait_s"] == pytest.approx(3.0)


def test_a_launcher_that_passes_little_on_is_not_held_up_by_output(tmp_path: Path) -> None:
    assert output.examine(passed_on(tmp_path, prints=100, launcher_s=3.0, others_s=0.0)) is None


def test_passing_on_costs_nothing_where_cores_are_free(tmp_path: Path) -> None:
    assert output.examine(passed_on(tmp_path, prints=50_000, launcher_s=3.0, others_s=0.0, waited_s=0.0)) is None
