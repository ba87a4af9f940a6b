"""Locks of fcntl belong to the process: any close of the file ends them, so none of ours may come between."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome

Cached = Callable[..., Outcome]

ASK = """
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
try:
    fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print('free')
except OSError:
    print('held')
"""
HOLD = f"""
import ctypes, fcntl, os, subprocess, sys
name = sys.argv[1]
def ask():
    ask = [sys.executable, '-c', {ASK!r}, name]
    plain = {{key: value for key, value in os.environ.items() if key != 'LD_PRELOAD'}}
    print(subprocess.run(ask, env=plain, capture_output=True, text=True).stdout.strip(), flush=True)
file = os.open(name, os.O_RDWR | os.O_CREAT)
"""
LOCK = {
    "fcntl": "fcntl.lockf(file, fcntl.LOCK_EX)",
    "lockf": "ctypes.CDLL(None).lockf(file, 1, ctypes.c_long(0))",
    "by number": """
import struct
lock = ctypes.create_string_buffer(struct.pack('hhqqi', fcntl.F_WRLCK, 0, 0, 0, 0) + bytes(8))
if ctypes.CDLL(None).syscall(72, file, fcntl.F_SETLK, lock) != 0: raise SystemExit('F_SETLK')
""",
}
THEN = {
    "open again": "other = os.open(name, os.O_RDWR)",
    "open for reading": "other = os.open(name, os.O_RDONLY)",
    "open for appending": "other = os.open(name, os.O_WRONLY | os.O_APPEND)",
    "open a link": "os.link(name, name + '.link'); other = os.open(name + '.link', os.O_WRONLY)",
    "ask for it": "os.stat(name); os.utime(name)",
}


@pytest.mark.parametrize("lock", LOCK)
@pytest.mark.parametrize("then", THEN)
def test_it_is_held(cached: Cached, tmp_path: Path, lock: str, then: str) -> None:
    if lock != "fcntl" and then != "open again":
        pytest.skip("one is enough")
    if lock == "by number" and "x86_64" not in __import__("platform").machine():
        pytest.skip("the number is another's")
    program = f"{HOLD}\nos.write(file, b'a' * 1000)\n{LOCK[lock]}\n{THEN[then]}\nask()\n"
    outcome = cached(sys.executable, "-c", program, tmp_path / "scratch" / "file")
    assert outcome.stdout.split() == ["held"], outcome.says


DATABASE = """
import sqlite3, sys
def count(name):
    base = sqlite3.connect(name, timeout=60, isolation_level=None)
    base.execute('pragma journal_mode = ' + sys.argv[2])
    base.execute('create table if not exists t (x integer)')
    for _ in range(20):
        base.execute('begin immediate')
        n = base.execute('select count(*) from t').fetchone()[0]
        base.execute('insert into t values (?)', (n,))
        base.execute('commit')
count(sys.argv[1])
"""
TWO = """
import sqlite3, subprocess, sys
# Before them: SQLite refuses a change of the journal at once, whatever its timeout, where another looks at the base.
with sqlite3.connect(sys.argv[1]) as first:
    first.execute('pragma journal_mode = ' + sys.argv[2])
first.close()
children = [subprocess.Popen([sys.executable, '-c', sys.argv[3], *sys.argv[1:3]]) for _ in range(2)]
codes = [child.wait() for child in children]
base = sqlite3.connect(sys.argv[1])
numbers = [row[0] for row in base.execute('select x from t order by x')]
print(codes, numbers == list(range(40)), base.execute('pragma integrity_check').fetchone()[0])
"""


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_two_processes_share_a_database(cached: Cached, tmp_path: Path, journal: str) -> None:
    outcome = cached(sys.executable, "-c", TWO, tmp_path / "scratch" / "base", journal, DATABASE)
    assert outcome.stdout.strip() == "[0, 0] True ok", outcome.says
