"""A file that is open twice has two positions, also after the program has lost what it takes to open it again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]

OPEN_TWICE = """
import os, sys
name, elsewhere = sys.argv[1:]
one = os.open(name, os.O_RDWR | os.O_CREAT)
two = os.open(name, os.O_RDWR)
os.write(one, b"header\\n")
os.write(two, b"two")
{change}
if os.fork() == 0:
    os._exit(0)
os.wait()
os.write(one, b"one")
os.write(two, b"2")
print(os.lseek(one, 0, os.SEEK_CUR), os.lseek(two, 0, os.SEEK_CUR), os.pread(one, 20, 0))
"""
CHANGES = {
    "seteuid": "os.seteuid(65534)",
    "setresuid": "os.setresuid(65534, 65534, 65534)",
    "by number": "import ctypes; ctypes.CDLL(None).syscall(117, 65534, 65534, 65534)",
    "chroot": "os.chroot(elsewhere)",
    "fchmod": "os.fchmod(one, 0)",
    "chmod": "os.chmod(name, 0)",
}
# root may open anything, unless it has not even this
LIKE_A_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_both_positions_stay(cached: Cached, tmp_path: Path, change: str, own: bool) -> None:
    if LIKE_A_USER and shutil.which(LIKE_A_USER[0]) is None:
        pytest.skip("there is no setpriv")
    if os.geteuid() != 0 and "chmod" not in change:
        pytest.skip("needs root")
    if change == "by number" and os.uname().machine != "x86_64":
        pytest.skip("the number is another's")
    program = [*LIKE_A_USER, sys.executable, "-c", OPEN_TWICE.format(change=CHANGES[change])]
    plain = run_command([*program, tmp_path / "plain", tmp_path])
    assert plain.exit_code == 0, plain.says
    outcome = cached(*program, tmp_path / "scratch" / "file", tmp_path, own=own)
    assert (outcome.exit_code, outcome.stdout) == (0, plain.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").stat().st_size == (tmp_path / "plain").stat().st_size


def test_both_positions_stay_where_there_is_no_proc(cached: Cached, tmp_path: Path) -> None:
    """Some containers hide it."""
    if os.geteuid() != 0:
        pytest.skip("hiding /proc needs root")
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    program = [*hidden, sys.executable, "-c", OPEN_TWICE.format(change=""), tmp_path / "scratch" / "file", tmp_path]
    outcome = cached(*program)
    assert (outcome.exit_code, outcome.stdout) == (0, "10 4 b'two2er\\none'\n"), outcome.says


# Only this thread keeps its rights (SECBIT_NO_SETUID_FIXUP); libc changes the user and the group in all.
BECOMES_NOBODY = """
import ctypes, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(file, b"before")
assert ctypes.CDLL(None).prctl(28, 4, 0, 0, 0) == 0
os.setgroups([65534])
os.setresuid(65534, 65534, 65534)
os.setresgid(65534, 65534, 65534)
os.write(file, b"after")
print(os.getresuid(), os.getresgid(), os.pread(file, 20, 0))
"""


def test_becoming_another_user_with_kept_rights(cached: Cached, tmp_path: Path) -> None:
    """A thread of ours had not kept them, and libc ends a program of which some threads may and others may not."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    program = [sys.executable, "-c", BECOMES_NOBODY]
    bare = run_command([*program, tmp_path / "bare"])
    outcome = cached(*program, tmp_path / "scratch" / "file")
    assert bare.exit_code == 0, bare.says
    assert (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == b"beforeafter"
