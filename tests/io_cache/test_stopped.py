"""A program of the job stops another (kill -STOP): the other's files are as without the cache to all who open them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]

WRITES = """
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
os.write(fd, b"old" * 1000)
print("written", flush=True)
sys.stdin.readline()
print(os.pread(fd, 3, 0), os.fstat(fd).st_size)
"""
STOPS = """
import ctypes, os, signal, subprocess, sys
name, way, writes = sys.argv[1:]
pipe = subprocess.PIPE
other = subprocess.Popen([sys.executable, "-c", writes, name], stdin=pipe, stdout=pipe, text=True, process_group=0)
other.stdout.readline()
if way == "process": os.kill(other.pid, signal.SIGSTOP)
elif way == "group": os.killpg(other.pid, signal.SIGSTOP)
elif way == "thread": ctypes.CDLL(None).syscall(200, other.pid, signal.SIGSTOP)
elif way == "descriptor": signal.pidfd_send_signal(os.pidfd_open(other.pid), signal.SIGSTOP)
elif way == "by number": ctypes.CDLL(None).syscall(424, os.pidfd_open(other.pid), signal.SIGSTOP, None, 0)
else: subprocess.run(["kill", "-STOP", str(other.pid)], check=True)
os.waitpid(other.pid, os.WUNTRACED)
fd = os.open(name, os.O_RDWR)
print(os.pread(fd, 3, 0))
os.pwrite(fd, b"new", 0)
os.close(fd)
os.kill(other.pid, signal.SIGCONT)
print(other.communicate("on\\n")[0], open(name, "rb").read(6))
"""


@pytest.mark.parametrize("way", ["process", "group", "command", "thread", "descriptor", "by number"])
def test_opens_what_a_stopped_program_wrote(cached: Cached, tmp_path: Path, way: str) -> None:
    """It waited for 45 s, found zeros, and what it wrote itself was overwritten when the other went on."""
    plain = run_command([sys.executable, "-c", STOPS, tmp_path / "plain", way, WRITES])
    assert plain.exit_code == 0, plain.says
    begin_s = time.monotonic()
    outcome = cached(sys.executable, "-c", STOPS, tmp_path / "scratch" / "file", way, WRITES, timeout_s=120)
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says
    assert time.monotonic() - begin_s < 30
