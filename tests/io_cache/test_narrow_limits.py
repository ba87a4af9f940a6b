"""Limits of the process (ulimit) mean what they mean without the cache."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]

READS = "import os, sys; f = os.open(sys.argv[1], os.O_RDONLY); print(sum(len(os.pread(f, 999, i)) for i in range(99)))"


@pytest.mark.parametrize("blocks", [1, 8, 16, 64])
def test_reading_where_files_must_be_small(cached: Cached, tmp_path: Path, blocks: int) -> None:
    """The memory that the ranks of a host share is a file, too: to make it was a signal that ended the program."""
    file = tmp_path / "scratch" / "old"
    file.parent.mkdir()
    file.write_bytes(bytes(200_000))
    limited = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", sys.executable, "-c", READS, file]
    assert run_command(limited).stdout == "98901\n"
    outcome = cached(*limited)
    assert (outcome.exit_code, outcome.stdout) == (0, "98901\n"), outcome.says


TAKES = """
import mmap, os, sys
f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(f, bytes(100_000))
taken = []
try:
    while True:
        taken.append(mmap.mmap(-1, 1 << 24))
except OSError:
    print(len(taken) * 16, "MiB")
os.pwrite(f, b"end", 200_000)
os.close(f)
"""


@pytest.mark.parametrize("limit", ["-v", "-d"])
def test_addresses_are_the_programs(cached: Cached, tmp_path: Path, limit: str) -> None:
    """The cache's own memory was as large as asked for, and the program's malloc failed."""
    program = ["sh", "-c", f'ulimit {limit} 4000000; exec "$@"', "sh", sys.executable, "-c", TAKES]
    (tmp_path / "plain").mkdir()
    plain = int(run_command([*program, tmp_path / "plain" / "file"]).stdout.split()[0])
    outcome = cached(*program, tmp_path / "scratch" / "file", size="3Gi")
    assert outcome.exit_code == 0, outcome.says
    assert plain > 3000
    assert int(outcome.stdout.split()[0]) > 0.8 * plain
    assert (tmp_path / "scratch" / "file").read_bytes() == (tmp_path / "plain" / "file").read_bytes()


ALONE = """
import ctypes, os, sys
f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(f, b"before")
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), ctypes.get_errno())
os.write(f, b"after")
print(os.pread(f, 20, 0))
"""


def test_a_namespace_for_a_process_of_one_thread(cached: Cached, tmp_path: Path) -> None:
    """The thread that keeps cached files would be a second one."""
    program = [sys.executable, "-c", ALONE]
    bare = run_command([*program, tmp_path / "bare"])
    if not bare.stdout.startswith("0 "):
        pytest.skip("this user gets no namespaces here")
    (tmp_path / "scratch").mkdir()
    outcome = cached(*program, tmp_path / "scratch" / "file")
    assert (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == b"beforeafter"


def test_few_addresses(cached: Cached, tmp_path: Path) -> None:
    """There the tables of the cache alone would be too many."""
    script = 'ulimit -d 60000; cd "$0"; seq 20000 > a; sort -n a > b; cp b c; cat b c > d; wc d'
    (tmp_path / "plain").mkdir()
    (tmp_path / "scratch").mkdir()
    plain = run_command(["sh", "-c", script, tmp_path / "plain"])
    outcome = cached("sh", "-c", script, tmp_path / "scratch")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, plain.stdout, ""), outcome.says


LOCKS = """
import ctypes, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(file, bytes(50_000))
print(ctypes.CDLL(None).mlockall(3))
os.write(file, bytes(50_000))
[locked] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmLck")]
print(int(locked) // 1024 < 300)
"""


def test_memory_that_is_locked(cached: Cached, tmp_path: Path) -> None:
    """All that the cache had only reserved was there at once, in each rank."""
    program = [sys.executable, "-c", LOCKS]
    bare = run_command([*program, tmp_path / "bare"])
    if bare.stdout != "0\nTrue\n":
        pytest.skip("this user may not lock memory here")
    (tmp_path / "scratch").mkdir()
    outcome = cached(*program, tmp_path / "scratch" / "file", size="1Gi")
    assert (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == bytes(100_000)
