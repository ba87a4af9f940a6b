"""A program is stopped from outside the job, until the kernel takes the leases of its files: no byte is lost.

The kernel waits for 45 s. A program with the same open file description may give up the lease as well: the tests do
that, and the slow one waits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import Outcome, run_command

OWN = """
import os, struct, sys
name, way = sys.argv[1:]
fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
base = b"." * 12000
def first(fd):
    if way == "synced":
        os.write(fd, base)
        os.fsync(fd)
        os.pwrite(fd, b"A" * 4096, 4096)
        os.pwrite(fd, b"A" * 10, 11000)
    elif way == "numbers":
        os.write(fd, struct.pack("<1500d", *[1 / 3] * 1500))
    else:
        os.write(fd, b"old " * 3000)
first(fd)
print("written", flush=True)
sys.stdin.readline()
seen = os.pread(fd, 12, 0)
if way == "goes on": os.pwrite(fd, b"later", 2)
if way == "appends": os.write(fd, b"!")
os.pwrite(fd, b"end", 9000)
print(seen, os.fstat(fd).st_size, os.lseek(fd, 0, os.SEEK_CUR))
os.close(fd)
"""

OTHER = """
import ctypes, fcntl, os, signal, struct, subprocess, sys, time
record, name, way, own, waits = sys.argv[1:]
command = [sys.executable, "-c", own, name, way]
pipe = subprocess.PIPE
stopped = subprocess.Popen([*record.split(), *command], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
stopped.stdout.readline()
os.kill(stopped.pid, signal.SIGSTOP)
os.waitpid(stopped.pid, os.WUNTRACED)
def take_leases():
    libc = ctypes.CDLL(None, use_errno=True)
    pid = os.pidfd_open(stopped.pid)
    for number in os.listdir(f"/proc/{stopped.pid}/fd"):
        fd = libc.syscall(438, pid, int(number), 0)
        if fd < 0: continue
        try:
            if fcntl.fcntl(fd, fcntl.F_GETLEASE) != fcntl.F_UNLCK: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError: pass
        os.close(fd)
if record and not int(waits):
    time.sleep(1.1)
    take_leases()
if way == "reads":
    fd = os.open(name, os.O_RDONLY)
    os.read(fd, 10)
elif way == "truncates":
    fd = os.open(name, os.O_RDWR | os.O_TRUNC)
    os.write(fd, b"theirs")
elif way == "numbers":
    fd = os.open(name, os.O_RDWR)
    os.pwrite(fd, struct.pack("<600d", *[1.0] * 600), 80)
elif way == "synced":
    fd = os.open(name, os.O_RDWR)
    os.pwrite(fd, b"theirs", 100)
elif way == "grows":
    fd = os.open(name, os.O_RDWR | os.O_APPEND)
    os.write(fd, b"theirs")
else:
    fd = os.open(name, os.O_RDWR)
    os.pwrite(fd, b"theirs", 0)
    os.pwrite(fd, b"theirs", 5000)
os.close(fd)
os.kill(stopped.pid, signal.SIGCONT)
out, err = stopped.communicate("on\\n")
print(out, err, stopped.returncode)
"""
WAYS = ["writes", "reads", "truncates", "numbers", "synced", "grows", "goes on", "appends"]


def run(record: str, name: Path, way: str, waits: bool = False) -> Outcome:
    name.parent.mkdir(exist_ok=True)
    return run_command([sys.executable, "-c", OTHER, record, name, way, OWN, str(int(waits))], timeout_s=120)


def recorded(tmp_path: Path) -> str:
    tool, folder = clearway_tool("clearway-record"), tmp_path / "scratch"
    options = ["--io-cache", "64Mi", "--io-cache-files", f"{folder}/*", "-o", str(tmp_path / "run"), "--always", "--"]
    return " ".join([str(tool), *options])


def same(tmp_path: Path, way: str, waits: bool = False) -> Outcome:
    plain, cached = tmp_path / "plain" / "file", tmp_path / "scratch" / "file"
    bare = run("", plain, way)
    assert bare.exit_code == 0, bare.says
    outcome = run(recorded(tmp_path), cached, way, waits)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.splitlines()[0] == bare.stdout.splitlines()[0], outcome.says
    assert cached.read_bytes() == plain.read_bytes(), outcome.says
    return outcome


@pytest.mark.parametrize("way", WAYS)
def test_what_others_write_to_a_stopped_programs_file_stays(tmp_path: Path, way: str) -> None:
    """It was overwritten by what the program had written before; and the program read on from memory."""
    outcome = same(tmp_path, way)
    said = "another program wrote to" in outcome.stdout
    assert said == (way != "reads"), outcome.says


@pytest.mark.slow
def test_the_kernel_takes_the_lease_of_a_stopped_program(tmp_path: Path) -> None:
    same(tmp_path, "writes", waits=True)
