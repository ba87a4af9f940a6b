"""What children of a program see of its files, and what they write into them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]

OUTPUT_OF = {
    "subprocess": "subprocess.run(['echo', 'child'], stdout=fd)",
    "posix_spawn": """pid = os.posix_spawn('/bin/sh', ['sh', '-c', 'echo child'], os.environ,
                      file_actions=[(os.POSIX_SPAWN_DUP2, fd, 1)]); os.waitpid(pid, 0)""",
    "fork": """if os.fork() == 0: os.dup2(fd, 1); os.execvp('echo', ['echo', 'child'])
os.wait()""",
    "system": "os.set_inheritable(fd, True); os.system(f'echo child >&{fd}')",
}
WRITES = """
import os, subprocess, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT | {flags})
os.write(fd, b'header\\n')
{child}
os.write(fd, b'footer\\n')
os.pwrite(fd, b'H', 0)
print(os.fstat(fd).st_size)
"""


@pytest.mark.parametrize("flags", [0, "os.O_APPEND"])
@pytest.mark.parametrize("child", OUTPUT_OF)
@pytest.mark.parametrize("own", [False, True])
def test_its_output_stands_between_ours(cached: Cached, tmp_path: Path, child: str, flags: str, own: bool) -> None:
    program = WRITES.format(child=OUTPUT_OF[child], flags=flags)
    plain = run_command([sys.executable, "-c", program, tmp_path / "plain"])
    outcome = cached(sys.executable, "-c", program, tmp_path / "scratch" / "file", own=own)
    assert (outcome.exit_code, outcome.stdout) == (plain.exit_code, plain.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").read_text() == (tmp_path / "plain").read_text()


@pytest.mark.parametrize("flags", ["", "files", "vm", "vm,files"])
@pytest.mark.parametrize("own", [False, True])
def test_a_clone_shares_the_file(
    programs: ProgramBuilder, cached: Cached, tmp_path: Path, flags: str, own: bool
) -> None:
    program = programs.build_plain("io_clones", "io_clones.c")
    plain = run_command([program, tmp_path / "plain", flags])
    outcome = cached(program, tmp_path / "scratch" / "file", flags, own=own)
    assert (outcome.exit_code, outcome.stdout) == (plain.exit_code, plain.stdout), outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes() == (tmp_path / "plain").read_bytes()


LOOKS = """
import os, subprocess, sys
name, *command = sys.argv[1:]
fd = os.open(name, os.O_RDWR | os.O_CREAT)
os.write(fd, b'y' * 100000)
{closed}
os.environ.pop('LD_PRELOAD', None)
print(subprocess.run(command, capture_output=True, text=True).stdout)
"""


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("closed", ["os.close(fd)", ""], ids=["closed", "open"])
@pytest.mark.parametrize("command", ["stat -c %s {}", "du -b {}", "tar -cf {}.tar -C / {}; tar -tvf {}.tar"])
def test_it_sees_the_file_as_it_is(cached: Cached, tmp_path: Path, command: str, closed: str, own: bool) -> None:
    file = tmp_path / "scratch" / "file"
    look = ["sh", "-c", command.replace("{}", str(file))]
    outcome = cached(sys.executable, "-c", LOOKS.format(closed=closed), file, *look, own=own)
    assert "100000" in outcome.stdout, outcome.says


WITHOUT_WAITING = """
import os, subprocess, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
ask = [sys.executable, '-c', 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK); print("opened")']
child = subprocess.Popen([*ask, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
os.close(fd)
fd = os.open(sys.argv[1], os.O_RDWR)
os.write(fd, b'y')
print(child.communicate()[0])
"""


def test_it_need_not_wait_in_order_to_open_it(cached: Cached, tmp_path: Path) -> None:
    """The file is open, and in the cache: the kernel refuses those who do not wait."""
    outcome = cached(sys.executable, "-c", WITHOUT_WAITING, tmp_path / "scratch" / "file")
    assert outcome.stdout.split() == ["opened"], outcome.says


COMMIT = """
set -e
cd "$1"; git init -q .; git config user.email a@b; git config user.name a
printf 'one\\n' >a; git add a; git commit -qm one
python3 -c 'import os; f = os.open("a", os.O_RDWR | os.O_TRUNC); os.write(f, b"two\\n" * 5000)'
git commit -qam two
git gc -q; git fsck --strict
git status --short; git log --format=%s; git show HEAD:a | sha1sum; git cat-file -s HEAD:a
"""


def test_git_keeps_what_was_written(cached: Cached, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    (tmp_path / "plain").mkdir()
    plain = run_command(["sh", "-c", COMMIT, "sh", tmp_path / "plain"])
    outcome = cached("sh", "-c", COMMIT, "sh", tmp_path / "scratch")
    assert (outcome.exit_code, outcome.stdout) == (plain.exit_code, plain.stdout), outcome.says
    assert "20000" in outcome.stdout
