"""What a stream of libc's writes by its number goes where the program put the number, among what it writes itself."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


def same(cached: Cached, tmp_path: Path, *command: str | Path) -> None:
    """Each is run with its folder, whose files are to be the same with the cache and without."""
    plain, scratch = tmp_path / "plain", tmp_path / "scratch"
    plain.mkdir()
    said = run_command([*command, plain])
    assert said.exit_code == 0, said.says
    outcome = cached(*command, scratch)
    assert outcome.exit_code == 0, outcome.says
    names = sorted(path.name for path in plain.iterdir())
    assert sorted(path.name for path in scratch.iterdir()) == names
    assert filecmp.cmpfiles(plain, scratch, names, shallow=False)[1:] == ([], [])
    assert load(tmp_path / "run").io_cache.data["files"].sum() > 0, "nothing was in the cache"


def test_a_program_redirects_its_streams(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    same(cached, tmp_path, programs.build_plain("io_redirected", "io_redirected.c", flags=["-w"]))


SCRIPT = """
cd "$1"
echo one >log; echo two >>log; echo three >>log
for i in 1 2 3; do echo $i; done >list
{ echo a; /bin/echo b; echo c; } >mixed; { echo d; /bin/echo e; echo f; } >>mixed
exec 5>>log; echo four >&5; printf 'five\\n' >&5; exec 5>&-
exec >>log; echo six; /bin/echo seven; echo eight
"""


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_a_shell_redirects_and_appends(cached: Cached, tmp_path: Path, shell: str) -> None:
    """Bash's own echo writes through a stream, dash's does not."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    same(cached, tmp_path, shell, "-c", SCRIPT, shell)
