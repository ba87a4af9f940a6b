"""A cached file is either nobody else's, or true on disk: what somebody outside sees, who only looks at its name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness.mpis import clearway_tool

STEPS = """
import os, sys, time
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""

Do = Callable[[str], None]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch" / "file"


@pytest.fixture
def job(file: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A program that does what it is told, a line at a time, with `file` in the cache."""
    options = ["--io-cache", "64Mi", "--io-cache-files", f"{file.parent}/*", "-o", str(tmp_path / "run"), "--always"]
    command = [str(clearway_tool("clearway-record")), *options, "--", sys.executable, "-c", STEPS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        yield running
        running.kill()


@pytest.fixture
def do(job: subprocess.Popen[str], file: Path) -> Do:
    def told(line: str) -> None:
        assert job.stdin is not None and job.stdout is not None
        print(line, file=job.stdin, flush=True)
        assert job.stdout.readline() == "done\n", line

    told(f"name = {str(file)!r}; file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)")
    return told


def test_its_size_grows_as_it_is_written(do: Do, file: Path) -> None:
    do("os.write(file, b'y' * 100000)")
    assert file.stat().st_size == 100_000
    do("os.pwrite(file, b'end', 300000)")
    assert file.stat().st_size == 300_003
    do("os.ftruncate(file, 500)")
    assert file.stat().st_size == 500
    do("os.ftruncate(file, 1 << 20)")
    assert file.stat().st_size == 1 << 20
    do("os.posix_fallocate(file, 0, 2 << 20)")
    assert file.stat().st_size == 2 << 20


def test_what_is_closed_is_there(do: Do, file: Path, job: subprocess.Popen[str]) -> None:
    do("os.write(file, b'y' * 100000)")
    do("os.close(file)")
    job.kill()
    job.wait()
    assert file.read_bytes() == b"y" * 100_000


def test_it_is_as_old_as_its_last_write(do: Do, file: Path) -> None:
    do("os.write(file, b'y' * 100000); os.pwrite(file, b'x', 5); written_s = time.time(); time.sleep(0.2)")
    do("os.close(file)")
    do("assert os.stat(name).st_mtime < written_s + 0.1")
    seen = file.stat()
    do(f"assert os.stat(name).st_mtime_ns == {seen.st_mtime_ns} and os.stat(name).st_ctime_ns == {seen.st_ctime_ns}")


def test_the_program_sees_what_others_see(do: Do, file: Path) -> None:
    """Also after it has read what it wrote: then its time of access has moved."""
    do("os.write(file, b'y' * 100000); time.sleep(0.1); os.pread(file, 10, 0); s = os.fstat(file)")
    seen = file.stat()
    told = (seen.st_size, seen.st_blocks, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_atime_ns)
    do(f"assert (s.st_size, s.st_blocks, s.st_mtime_ns, s.st_ctime_ns, s.st_atime_ns) == {told}")
    do("assert s.st_blocks > 0 and s.st_atime > s.st_mtime")


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY])
def test_nobody_has_to_come_again_for_a_closed_file(do: Do, file: Path, flags: int) -> None:
    do("os.write(file, b'y' * 1000)")
    do("os.close(file)")
    os.close(os.open(file, flags | os.O_NONBLOCK))


def test_a_time_that_others_set_stays(do: Do, file: Path, job: subprocess.Popen[str]) -> None:
    do("os.write(file, b'y' * 1000)")
    do("os.close(file)")
    os.utime(file, (1, 1))
    do("assert os.stat(name).st_mtime == 1")
    assert job.stdin is not None
    job.stdin.close()
    job.wait()
    assert file.stat().st_mtime == 1


@pytest.mark.parametrize("event", ["os.fsync(file)", "os.chmod(name, 0o600)", "other = os.dup(file); os.close(other)"])
def test_bytes_without_opening_it(do: Do, file: Path, event: str, job: subprocess.Popen[str]) -> None:
    """By /proc/PID/map_files nobody would come in; a crash shows as well what is on the disk."""
    do("os.write(file, b'y' * 100000)")
    do(event)
    job.kill()
    job.wait()
    assert file.read_bytes() == b"y" * 100_000
