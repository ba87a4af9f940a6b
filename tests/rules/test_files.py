"""Rules about files: data, syncs, metadata, and which of the file system's functions took the time."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, SegmentKind
from rules.host_jobs import SECOND_NS, MadeHost, case_of, count, ranks_on

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, mpi_requests
from clearway.diagnosis.facts.file_time import file_system
from clearway.diagnosis.facts.scratch import scratch_files
from clearway.diagnosis.rules import file_wait, metadata_storm, ompio, rules, small_reads, sync_storm, text_files
from clearway.run.layout import FILE_DELETED, FILE_STDIO, FILE_SYNCHRONOUS, FILE_WRITTEN

MOUNTS = {
    "mount.0": "ext4 / /dev/sda1",
    "mount.1": "nfs4 /home server:/home",
    "mount.2": "tmpfs /dev/shm tmpfs",
    "mount.3": r"xfs /a\040b /dev/sdb1",
    "mount.4": "overlay /image overlay",
}


def use_file(rank: Rank, path: str, **fields: int) -> None:
    """Its times, given in seconds, are the rank's time in file functions."""
    ticks = {name: seconds * SECOND_NS if name.endswith("_ticks") else seconds for name, seconds in fields.items()}
    rank.add(SegmentKind.FILES, path=path.encode(), **ticks)
    spent = sum(value for name, value in ticks.items() if name.endswith("_ticks"))
    rank.thread["io_ticks"] = rank.thread.get("io_ticks", 0) + spent


def one_rank(directory: Path, *files: tuple[str, dict[str, int]], fetched: int = 0) -> Case:
    [rank] = ranks_on(MadeHost(facts=MOUNTS))
    for path, fields in files:
        use_file(rank, path, **fields)
    count(rank, "process.read_bytes", fetched)
    return case_of([rank], directory, MadeHost(facts=MOUNTS))


def claims(case: Case) -> tuple[float, float, float]:
    """Of file-wait, sync-storm and metadata-storm."""
    found = [rule.examine(case) for rule in (file_wait, sync_storm, metadata_storm)]
    data, sync, metadata = (one.claims["io_s"] if one else 0.0 for one in found)
    return data, sync, metadata


def test_each_rule_takes_its_own_calls(tmp_path: Path) -> None:
    scratch = {"read_ticks": 2, "write_ticks": 1, "sync_ticks": 3, "syncs": 9, "opens": 500, "open_ticks": 1}
    case = one_rank(tmp_path, ("/tmp/scratch", {**scratch, "metadata_ticks": 1, "metadata": 500}))
    assert claims(case) == pytest.approx((3.0, 3.0, 2.0))


def test_writes_that_wait_for_the_disk_are_syncs(tmp_path: Path) -> None:
    case = one_rank(tmp_path, ("/tmp/log", {"write_ticks": 4, "flags": FILE_SYNCHRONOUS}))
    assert claims(case) == pytest.approx((0.0, 4.0, 0.0))


def test_closing_a_large_file_writes_it(tmp_path: Path) -> None:
    large = {"close_ticks": 4, "opens": 200, "closes": 200, "written_bytes": 200 << 20}
    assert claims(one_rank(tmp_path / "large", ("/home/a", large))) == pytest.approx((4.0, 0.0, 0.0))
    small = {**large, "written_bytes": 200 << 10}
    assert claims(one_rank(tmp_path / "small", ("/home/a", small))) == pytest.approx((0.0, 0.0, 4.0))


def test_a_few_openings_are_what_starting_takes(tmp_path: Path) -> None:
    case = one_rank(tmp_path, ("/home/a", {"opens": 40, "open_ticks": 1}))
    assert metadata_storm.examine(case) is None


def test_files_beyond_those_on_record_are_no_file(tmp_path: Path) -> None:
    """They share a row, which has no folder, and which nothing can keep in memory."""
    many = {"metadata_ticks": 1, "metadata": 900, "write_ticks": 4, "writes": 9, "written_bytes": 9000, "opens": 9}
    case = one_rank(tmp_path, ("(other files)", {**many, "flags": FILE_WRITTEN, "extent_bytes": 9000}))
    found = metadata_storm.examine(case)
    assert found is not None
    assert "took longest in (other files)." in found.says
    assert scratch_files(case) == ()


def test_mpi_io_is_waiting_for_data(tmp_path: Path) -> None:
    [rank] = ranks_on(MadeHost())
    rank.cell("MPI_File_write", 3.0)
    assert claims(case_of([rank], tmp_path, MadeHost())) == pytest.approx((3.0, 0.0, 0.0))


def test_a_great_many_files_are_no_mpi_io(tmp_path: Path) -> None:
    """Thirty modules on a file server: none of them takes a twentieth of the time."""
    [rank] = ranks_on(MadeHost(facts=MOUNTS))
    rank.end_s = 40.0
    for number in range(30):
        use_file(rank, f"/home/me/lib/module{number}.py", read_ticks=1, reads=2, read_bytes=5000)
    found = file_wait.examine(case_of([rank], tmp_path, MadeHost(facts=MOUNTS)))
    assert found is not None
    assert "Ranks waited for 30 files" in found.says
    assert "most of them on nfs4 (server:/home)" in found.says
    assert "MPI-IO" not in found.says


def by_mpi_io(directory: Path, costs: bool = True, io: str = "", folder: str = "/home/me", nbytes: int = 100) -> Case:
    """Two ranks of Open MPI write for 6 s of 10, in a folder of NFS; or for a moment."""
    world = ranks_on(MadeHost(facts=MOUNTS), per_host=2)
    for rank in world:
        rank.fact("mpi.library", "Open MPI v4.1.4").fact("process.cwd", folder)
        if io:
            rank.fact("environment.OMPI_MCA_io", io)
        rank.cell("MPI_File_write", 6.0 if costs else 0.06, nbytes=nbytes)
    return case_of(world, directory, MadeHost(facts=MOUNTS))


def opening(directory: Path, costs: bool, count: int = 500, kept_open: bool = False) -> Case:
    """Two ranks open and close a file 500 times, in 4 of 10 s; or once, and write as long."""
    world = ranks_on(MadeHost(facts=MOUNTS), per_host=2)
    for rank in world:
        rank.fact("mpi.library", "Open MPI v4.1.4").fact("process.cwd", "/work")
        rank.add(SegmentKind.MPI_FILES, path=b"/work/out.dat")
        rank.cell("MPI_File_open", 3.0 if costs else 0.02, count=count)
        rank.cell("MPI_File_close", 1.0 if costs else 0.01, count=count)
        if kept_open:
            rank.cell("MPI_File_write", 3.0, nbytes=100)
    return case_of(world, directory, MadeHost(facts=MOUNTS))


def test_a_file_that_is_opened_again_and_again_is_told_and_not_the_library_that_opens_it(tmp_path: Path) -> None:
    [found] = [one.finding for one in diagnose(opening(tmp_path, costs=True))]
    assert found.rule == "reopened-files"
    assert found.cost_s == pytest.approx(4.0, rel=0.02)
    assert "Each rank opened one file 500 times through MPI-IO" in found.says


def test_files_opened_seldom_are_not(tmp_path: Path) -> None:
    told = {one.finding.rule for one in diagnose(opening(tmp_path, costs=True, count=20, kept_open=True))}
    assert "reopened-files" not in told
    assert told


@pytest.mark.parametrize(("factor", "written", "said"), [(30, 0, True), (2, 0, False), (30, 4000, False)])
def test_what_is_read_again_and_again_and_never_written_can_be_kept(
    tmp_path: Path, factor: int, written: int, said: bool
) -> None:
    case = one_rank(
        tmp_path,
        (
            "/work/params",
            {"reads": 90, "read_bytes": factor * 4000, "written_bytes": written, "extent_bytes": 4000, "read_ticks": 4},
        ),
    )
    [found] = [one.finding for one in diagnose(case) if one.finding.rule == "file-wait"]
    assert ("keep what it holds" in found.says) == said


def test_ompio_on_a_file_server(tmp_path: Path) -> None:
    case = by_mpi_io(tmp_path)
    [found] = [one.finding for one in diagnose(case) if one.finding.rule in ("ompio", "file-wait")]
    assert found.rule == "ompio"
    assert found.cost_s == pytest.approx(6.0)
    assert "the job's folder is on nfs4 (server:/home)" in found.says
    assert found.remedies[0].id == "mpi-io"


def test_where_ompio_is_not_to_blame(tmp_path: Path) -> None:
    assert ompio.examine(by_mpi_io(tmp_path / "told", io="^ompio")) is None
    assert ompio.examine(by_mpi_io(tmp_path / "fast", folder="/work", nbytes=10**9)) is None
    assert ompio.examine(by_mpi_io(tmp_path / "slow", folder="/work", nbytes=10**6)) is not None


def test_ompio_on_a_local_disk_is_not_said_to_lock_files(tmp_path: Path) -> None:
    """HDF5's tests there: many small accesses; nothing tells that the file system, or OMPIO on it, is slow."""
    found = ompio.examine(by_mpi_io(tmp_path, folder="/work", nbytes=10**6))
    assert found is not None
    assert "ext4 (/dev/sda1)" in found.says
    assert "locks" not in found.says
    assert "a hundred times" not in found.says
    assert "file system" not in found.title


@pytest.mark.parametrize(
    ("collective", "request_bytes", "told"),
    [
        (1, 4096, "The program's calls are collective and move 512 KiB a rank, but the MPI makes requests of 4.00 KiB"),
        (1, 131_072, ""),  # a few blocks that a rank's data has in the file
        (0, 4096, "with collective calls"),
    ],
)
def test_small_requests_of_collective_calls_are_the_mpis(
    tmp_path: Path, collective: int, request_bytes: int, told: str
) -> None:
    world = ranks_on(MadeHost(facts=MOUNTS), per_host=2)
    moved, calls = 10_240 * request_bytes, 10_240 * request_bytes // 524_288
    for rank in world:
        ticks = 4 * SECOND_NS
        rank.add(
            SegmentKind.MPI_FILES,
            path=b"/work/out.dat",
            collective_writes=calls * collective,
            independent_writes=calls * (1 - collective),
            written_bytes=moved,
            requests=(10_240, moved, ticks),
            small_requests=(10_240, moved, ticks),
        )
        rank.cell("MPI_File_write_all", 5.0, count=calls, nbytes=moved)
    said = mpi_requests.advice(case_of(world, tmp_path, MadeHost(facts=MOUNTS)))
    assert told in said
    assert bool(said) == bool(told)


@pytest.mark.parametrize(("written", "told"), [(10**9, False), (0, True)])
def test_where_reads_came_from_is_told_of_files_that_were_read(tmp_path: Path, written: int, told: bool) -> None:
    """The ranks read a few libraries from the disk at their start: that is not why writing takes long."""
    used = {"written_bytes": written, "write_ticks": 4} if written else {"read_bytes": 10**9, "read_ticks": 4}
    case = one_rank(tmp_path, ("/work/out.dat", used), ("/usr/lib/libmd.so", {"read_bytes": 1000}), fetched=1000)
    found = file_wait.examine(case)
    assert found is not None
    assert ("of the reads came from a disk" in [each.what for each in found.evidence]) == told


def test_flushing_through_mpi_is_not_laid_to_ompio(tmp_path: Path) -> None:
    """HDF5's H5Fflush after each data set: it waits for the disk with ROMIO, too."""
    world = ranks_on(MadeHost(facts=MOUNTS), per_host=2)
    for rank in world:
        rank.fact("mpi.library", "Open MPI v4.1.4").fact("process.cwd", "/work")
        rank.cell("MPI_File_write", 0.1, nbytes=10**6)
        rank.cell("MPI_File_sync", 6.0, count=300)
        rank.add(SegmentKind.MPI_FILES, path=b"/work/data.h5", opening_file_ticks=5 * SECOND_NS)
        use_file(rank, "/work/data.h5", flags=FILE_WRITTEN, writes=300, syncs=300, sync_ticks=5, written_bytes=10**6)
    found = {each.finding.rule: each.finding for each in diagnose(case_of(world, tmp_path, MadeHost(facts=MOUNTS)))}
    assert not {"ompio", "file-wait"} & set(found), found
    assert not any(remedy.id == "mpi-io" for each in found.values() for remedy in each.remedies)
    assert found["sync-storm"].cost_s > 4.9


def test_no_files_no_findings(tmp_path: Path) -> None:
    assert claims(one_rank(tmp_path)) == (0.0, 0.0, 0.0)


def test_file_systems_by_the_nearest_mount(tmp_path: Path) -> None:
    case = one_rank(tmp_path)
    expected = {
        "/home/me/x": "nfs4 (server:/home)",
        "/homes/x": "ext4 (/dev/sda1)",
        "/dev/shm/x": "tmpfs",
        "/a b/x": "xfs (/dev/sdb1)",
    }
    assert {path: file_system(case, path) for path in expected} == expected


def test_what_it_says_of_scratch_that_no_cache_holds(tmp_path: Path) -> None:
    again = {"read_ticks": 4, "reads": 100, "read_bytes": 10_000, "extent_bytes": 1_000, "written_bytes": 1_000}
    case = one_rank(tmp_path, ("/tmp/scratch", {**again, "flags": FILE_DELETED}), fetched=9_000)
    found = file_wait.examine(case)
    assert found is not None
    assert "read 10.0 times over, and 90.0 % of all that the ranks read came from a disk" in found.says
    assert "deleted before the end" in found.says
    assert any("10.0 times over" in each.value for each in found.evidence)


@pytest.mark.parametrize("flags", [0, FILE_STDIO])
def test_scratch_of_stdio_is_said_to_be_no_caches(tmp_path: Path, flags: int) -> None:
    fields = {"read_ticks": 4, "written_bytes": 10**9, "flags": FILE_DELETED | flags}
    found = file_wait.examine(one_rank(tmp_path, ("/w/sortq3Xa9Z", fields)))
    assert found is not None
    assert ("which the I/O cache does not support" in found.says) == bool(flags)


def test_what_it_says_of_a_file_server(tmp_path: Path) -> None:
    found = file_wait.examine(one_rank(tmp_path, ("/home/me/x", {"write_ticks": 4, "written_bytes": 100})))
    assert found is not None
    assert "longest /home/me/x on nfs4 (server:/home)" in found.says
    assert "waited writing" in found.says  # of a file that nobody read
    assert "network file system" in found.says
    assert "each time" not in found.says


def test_ranks_that_are_late_in_turns_wait_for_files(tmp_path: Path) -> None:
    """Each of two ranks computes 6 s, reads 2 s and waits 2 s for the other, which reads at another time."""
    world = ranks_on(MadeHost(), per_host=2)
    for rank, begins in zip(world, ((6.0, 8.0), (4.0, 10.0)), strict=True):
        use_file(rank, "/tmp/scratch", read_ticks=2)
        for turn, (entry_s, exit_s) in enumerate(zip(begins, (6.0, 10.0), strict=True)):
            io_s = 2.0 if turn == rank.rank else 0.0
            rank.collective("MPI_Allreduce", entry_s, exit_s, io_before_s=io_s)
        rank.end_s = 10.0
    case = case_of(world, tmp_path, MadeHost())
    found = file_wait.examine(case)
    assert found is not None
    assert found.claims["io_s"] == pytest.approx(2 * (2.0 + 2.0))
    assert case.losses.wait_s == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("path", "seconds", "said"), [("/work/a", 4, True), ("/work/a", 0.4, False), ("/home/a", 4, False)]
)
def test_calls_that_are_far_too_slow_for_a_local_file_system_are_held_up_by_something(
    tmp_path: Path, path: str, seconds: float, said: bool
) -> None:
    """500 of them in 8 ms each or 0.8 ms, on the host's own disk or on a file server."""
    case = one_rank(tmp_path, (path, {"opens": 500, "open_ticks": seconds, "metadata": 0}))
    found = metadata_storm.examine(case)
    assert found is not None
    assert ("a virus scanner" in found.says) == said


def formatting(directory: Path, costs: bool, worked_s: float = 4.0, **instead: int) -> Case:
    """4 s in 900,000 prints of a number each; so long the core worked, and the rank has no other work."""
    [rank] = ranks_on(MadeHost(facts=MOUNTS))
    use_file(rank, "/home/out.txt", **{**PRINTS, "write_ticks": 4 if costs else 0, **instead})
    rank.thread |= {"cpu_ns": round(worked_s * SECOND_NS), "blocked_outside_ns": round((rank.end_s - 4) * SECOND_NS)}
    return case_of([rank], directory, MadeHost(facts=MOUNTS))


PRINTS = {"writes": 900_000, "written_bytes": 16 * 900_000, "flags": FILE_WRITTEN | FILE_STDIO}


def test_a_core_that_makes_text_waits_for_no_file(tmp_path: Path) -> None:
    case = formatting(tmp_path, True)
    found = text_files.examine(case)
    assert found is not None
    assert found.claims["io_s"] == pytest.approx(0.9 * 4)
    assert "making text of numbers" in found.says and "/home/out.txt" in found.says
    assert [one.finding.rule for one in diagnose(case)] == ["text-files"]
    waits = file_wait.examine(case)
    assert waits is None or waits.claims["io_s"] == pytest.approx(0.0)


def test_what_the_core_did_not_work_may_be_waiting_for_the_file(tmp_path: Path) -> None:
    case = formatting(tmp_path, True, worked_s=1.0)
    made, waits = text_files.examine(case), file_wait.examine(case)
    assert made is not None and waits is not None
    assert made.claims["io_s"] == pytest.approx(0.9 * 1)
    assert waits.claims["io_s"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    "instead",
    [
        {"written_bytes": 4096 * 900_000},  # whole blocks: that is copying
        {"writes": 900, "written_bytes": 16 * 900},  # few calls
        {"flags": FILE_WRITTEN},  # no stdio: each is a system call
        {"writes": 32_000_000, "written_bytes": 16 * 32_000_000},  # 125 ns each: they only copy
    ],
)
def test_other_writes_make_no_text(instead: dict[str, int], tmp_path: Path) -> None:
    assert text_files.examine(formatting(tmp_path, True, **instead)) is None


def test_numbers_are_made_of_text_as_well(tmp_path: Path) -> None:
    reads = {"writes": 0, "written_bytes": 0, "write_ticks": 0, "reads": 900_000, "read_bytes": 16 * 900_000}
    extent = {"extent_bytes": 1600 * 900}  # ten times over
    found = text_files.examine(formatting(tmp_path, True, read_ticks=4, flags=FILE_STDIO, **reads, **extent))
    assert found is not None
    assert "`fscanf`" in found.says
    assert "read 10 times over" in found.says


SOUGHT = {"reads": 900_000, "seeks": 900_000, "read_bytes": 8 * 900_000, "flags": FILE_STDIO}
NO_PRINTS = {"writes": 0, "written_bytes": 0, "write_ticks": 0}


def seeking(directory: Path, costs: bool, worked_s: float = 4.0, **instead: int) -> Case:
    """4 s in 900,000 reads of a number each, with a seek before each; so long the core worked."""
    times = {"read_ticks": 3, "seek_ticks": 1} if costs else {}
    return formatting(directory, False, worked_s, **{**NO_PRINTS, **SOUGHT, **times, **instead})


def test_a_seek_before_each_number_makes_no_text(tmp_path: Path) -> None:
    case = seeking(tmp_path, True)
    [only] = diagnose(case)
    assert only.finding.rule == "small-reads"
    assert only.finding.cost_s == pytest.approx(4 - 8 * 900_000 / 3e9)
    assert "900,000 reads of 8 B" in only.finding.says and "seeks for most of them" in only.finding.says
    assert text_files.examine(case) is None
    assert small_reads.examine(seeking(tmp_path / "waits", True, worked_s=0.0)) is None  # for the file, all the time


@pytest.mark.parametrize(
    ("instead", "found"),
    [
        ({"flags": 0, "seeks": 0}, True),  # no stdio: each is a system call
        ({"seeks": 100}, False),  # the library reads ahead
        ({"read_bytes": 4096 * 900_000}, False),  # whole blocks
        ({"reads": 900, "seeks": 900, "read_bytes": 8 * 900}, False),
    ],
)
def test_which_reads_ask_the_kernel_for_a_few_bytes(instead: dict[str, int], found: bool, tmp_path: Path) -> None:
    case = seeking(tmp_path, True, **instead)
    assert (small_reads.examine(case) is not None) == found


def test_a_core_that_copies_numbers_waits_for_no_file(tmp_path: Path) -> None:
    """40,000,000 of 100 ns each, by a stream that reads ahead: nothing that a file is to blame for."""
    many = {"reads": 40_000_000, "seeks": 0, "read_bytes": 8 * 40_000_000, "seek_ticks": 0, "read_ticks": 4}
    assert not diagnose(seeking(tmp_path, True, **many))
    waits = file_wait.examine(seeking(tmp_path / "waits", True, worked_s=0.0, **many))
    assert waits is not None and waits.claims["io_s"] == pytest.approx(4)


@pytest.mark.parametrize(
    ("path", "calls", "title", "said"),
    [
        ("/image/restart", 2, metadata_storm.FEW, "on overlay took 4.00 s in 2 calls"),
        ("/image/restart", 2, metadata_storm.FEW, "copied whole when it is opened for writing"),
        ("/work/restart", 2, metadata_storm.FEW, "look for what holds them up"),
        ("/work/restart", 900, "", "Calls that move no data"),
    ],
)
def test_a_few_long_calls_are_no_storm(path: str, calls: int, title: str, said: str, tmp_path: Path) -> None:
    long = {"opens": calls, "open_ticks": 4, "writes": 1}
    found = metadata_storm.examine(one_rank(tmp_path, (path, long), ("/work/others", {"opens": 500})))
    assert found is not None
    assert found.title == title and said in found.says
    assert ("On an overlay" in found.says) == path.startswith("/image")


@pytest.mark.parametrize(("path", "seconds", "told"), [("/proc", 2, True), ("/proc", 0, False), ("/home/a", 2, False)])
def test_what_the_kernel_says_of_itself_is_no_file(path: str, seconds: int, told: bool, tmp_path: Path) -> None:
    case = one_rank(tmp_path, (path, {"reads": 9000, "read_bytes": 60 << 20, "read_ticks": seconds}))
    found = rules()["kernel-time"].examine(case)
    assert (found is not None) == told
    if found is not None:
        assert found.claims["io_s"] == pytest.approx(2.0)
        assert "smaps" in found.says


@pytest.mark.parametrize(("path", "system"), [("many", "nfs4 (server:/home)"), ("/many", "ext4 (/dev/sda1)")])
def test_a_path_that_begins_in_the_jobs_folder_lies_there(path: str, system: str, tmp_path: Path) -> None:
    [rank] = ranks_on(MadeHost(facts=MOUNTS))
    rank.fact("process.cwd", "/home/me")
    assert file_system(case_of([rank], tmp_path, MadeHost(facts=MOUNTS)), path) == system
