"""What reaches the file system, when, and what others see of a file in the cache."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]

MEGABYTES = 1 << 20
BLOCK = 65536


def text(size_bytes: int) -> bytes:
    """As io_ends writes it."""
    return b"".join(bytes([ord("a") + block % 26]) * BLOCK for block in range(size_bytes // BLOCK))


@pytest.fixture
def ends(programs: ProgramBuilder) -> Path:
    return programs.build_plain("io_ends", "io_ends.c")


def figures(run: Path) -> dict[str, int]:
    """What the cache of the one process says it did."""
    cells = load(run).io_cache.data
    assert len(cells) == 1
    return {name: int(cells[0][name]) for name in cells.dtype.names if name != "policy"}


def test_a_deleted_file_never_reaches_the_disk(ends: Path, cached: Cached, tmp_path: Path) -> None:
    outcome = cached(ends, tmp_path / "scratch" / "file", "deletes", 8 * MEGABYTES, own=True)
    assert outcome.exit_code == 0, outcome.says
    did = figures(tmp_path / "run")
    assert did["written_bytes"] == 8 * MEGABYTES
    assert did["read_bytes"] == 3 * 8 * MEGABYTES
    assert (did["stores"], did["fetches"]) == (0, 0)
    assert (did["files"], did["deleted_files"]) == (1, 1)


@pytest.mark.parametrize("end", ["closes", "leaves", "skips", "becomes"])
@pytest.mark.parametrize("size", ["1Mi", "64Mi"])
def test_a_file_that_lives_on_is_complete(ends: Path, cached: Cached, tmp_path: Path, end: str, size: str) -> None:
    outcome = cached(ends, tmp_path / "scratch" / "file", end, 4 * MEGABYTES, size=size)
    assert outcome.exit_code == 0, outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == text(4 * MEGABYTES)


def test_what_was_synced_survives_a_kill(ends: Path, cached: Cached, tmp_path: Path) -> None:
    outcome = cached(ends, tmp_path / "scratch" / "file", "syncs", MEGABYTES)
    assert outcome.exit_code == -signal.SIGALRM, outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes()[:MEGABYTES] == text(MEGABYTES)


READS = """
import os, sys
for path in sys.argv[1:]:
    file = os.open(path, os.O_RDONLY)
    print(len(os.read(file, 100)), os.pread(file, 100, 0))
"""


def test_a_file_made_up_when_it_is_read_is_the_kernels(cached: Cached, tmp_path: Path) -> None:
    """Its size, 0 or a page, says nothing of what there is to read. A pattern of all files takes in those, too."""
    made_up = ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/possible"]
    groups = ["cgroup.controllers", "unified/cgroup.controllers", "memory/memory.limit_in_bytes"]
    made_up += [f"/sys/fs/cgroup/{name}" for name in groups]
    there = [path for path in made_up if os.access(path, os.R_OK)]
    if not there:
        pytest.skip("this machine shows none")
    said = run_command([sys.executable, "-c", READS, *there])
    outcome = cached(sys.executable, "-c", READS, *there, folder=Path("/sys"))
    assert outcome.lines == said.lines, outcome.says


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    ("end", "by", "more"),
    [
        ("aborts", signal.SIGABRT, b""),
        ("asserts", signal.SIGABRT, b""),
        ("raises", signal.SIGKILL, b""),
        ("kills", signal.SIGTERM, b""),
        ("asserts_errno", signal.SIGABRT, b""),
        ("kills_group", signal.SIGTERM, b""),
        ("queues", signal.SIGTERM, b""),
        ("queues_thread", signal.SIGTERM, b""),
        ("number_tgkill", signal.SIGTERM, b""),
        ("number_tkill", signal.SIGTERM, b""),
        ("number_queue", signal.SIGTERM, b""),
        ("number_pidfd", signal.SIGTERM, b""),
        ("handles", signal.SIGSEGV, b"end"),
        ("reports", signal.SIGSEGV, b"end"),
        ("cleans", signal.SIGABRT, b"end"),
    ],
)
def test_a_program_that_ends_itself_by_a_signal(
    ends: Path, cached: Cached, tmp_path: Path, end: str, by: signal.Signals, more: bytes, own: bool
) -> None:
    outcome = cached(ends, tmp_path / "scratch" / "file", end, MEGABYTES, own=own)
    assert outcome.exit_code == -by, outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == text(MEGABYTES) + more
    assert figures(tmp_path / "run")["written_bytes"] == MEGABYTES + len(more)


@pytest.mark.timed
@pytest.mark.parametrize("own", [False, True])
def test_what_was_closed_is_soon_written(ends: Path, cached: Cached, tmp_path: Path, own: bool) -> None:
    """An engine's own scratch within 2 s, other files at once."""
    outcome = cached(ends, tmp_path / "scratch" / "file", "dies", MEGABYTES, own=own)
    assert outcome.exit_code == -signal.SIGALRM, outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == text(MEGABYTES)
    assert figures(tmp_path / "run")["written_bytes"] == MEGABYTES  # so is the record


def test_a_file_from_before_the_job_is_written_at_once(ends: Path, cached: Cached, tmp_path: Path) -> None:
    file = tmp_path / "scratch" / "file"
    file.parent.mkdir()
    file.write_bytes(b"mine")
    outcome = cached(ends, file, "syncs", MEGABYTES)  # the second half is not synced
    assert outcome.exit_code == -signal.SIGALRM, outcome.says
    assert file.read_bytes() == 2 * text(MEGABYTES)


@pytest.mark.parametrize("reader", ["cat", "env -u LD_PRELOAD cat", "sh -c 'cat <$0'"])
def test_other_programs_see_the_file_as_it_is(
    programs: ProgramBuilder, cached: Cached, tmp_path: Path, reader: str
) -> None:
    shared = programs.build_plain("io_shared", "io_shared.c")
    outcome = cached(shared, tmp_path / "scratch" / "file", reader)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.split() == [f"{turn:08}" for turn in range(5)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for a few megabytes."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs root and mkfs.ext4")
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(32 * MEGABYTES)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount a loop device here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_told_where_it_is_without_us(ends: Path, cached: Cached, small_disk: Path) -> None:
    plain = run_command([ends, small_disk / "plain", "fills", 64 * MEGABYTES])
    assert plain.stdout.startswith("write: ")
    (small_disk / "plain").unlink()
    outcome = cached(ends, small_disk / "file", "fills", 64 * MEGABYTES, folder=small_disk)
    assert (outcome.stdout, outcome.exit_code) == (plain.stdout, plain.exit_code), outcome.says


@pytest.mark.parametrize("size", ["8Q", "12", "-1M", "999k", "2Gib/s", ""])
def test_what_is_no_size(size: str) -> None:
    native = run_command([clearway_tool("clearway-record"), f"--io-cache={size}", "true"])
    assert native.exit_code == 2, native.says
    assert "is not a size" in native.stderr or "not a size" in native.stderr
    assert "hint: memory on each host" in native.stderr


@pytest.mark.parametrize(
    ("size", "as_before"), [("2G", "2Gi"), ("1.5GB", "1.5Gi"), ("64m/rank", "64mi"), ("2Gi", ""), ("2000000000", "")]
)
def test_a_size_that_was_a_power_of_1024_says_what_it_is_now(tmp_path: Path, size: str, as_before: str) -> None:
    record = [clearway_tool("clearway-record"), f"--io-cache={size}", "--job", "one", "-o", tmp_path / "run", "true"]
    first, other = (run_command(record, {"PMI_RANK": rank}) for rank in ("0", "1"))
    told = [line for line in first.stderr.splitlines() if "powers of 1000" in line]
    assert len(told) == bool(as_before), first.says
    assert all(f"write {as_before} for powers of 1024" in line for line in told)
    assert "powers of 1000" not in other.stderr, "one rank speaks for the job"
