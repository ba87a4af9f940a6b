"""Signal handlers work on files in the cache as on any: at every moment, and with all that handlers may call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


@pytest.fixture
def signals(programs: ProgramBuilder) -> Path:
    return programs.build_plain("io_signals", "io_signals.c", flags=["-pthread"])


def holds(program: Path, cached: Cached, tmp_path: Path, seed: int, steps: int, size: str, ways: str) -> None:
    outcome = cached(program, tmp_path / "scratch", seed, steps, *ways.split(), size=size, timeout_s=120)
    assert outcome.exit_code == 0, f"io_signals FOLDER {seed} {steps} {ways}, cache of {size}\n{outcome.says}"
    assert int(outcome.stdout) > 0, "no signal came"
    assert load(tmp_path / "run").io_cache.data["written_bytes"].sum() > 0, "nothing was in the cache"


def says_what_it_says_without(program: Path, cached: Cached, tmp_path: Path) -> None:
    plain = run_command([program, tmp_path / "plain"])
    assert plain.exit_code == 0, plain.says
    outcome = cached(program, tmp_path / "scratch" / "file")
    assert outcome.exit_code == 0, outcome.says
    assert outcome.lines == plain.lines
    assert load(tmp_path / "run").io_cache.data["written_bytes"].sum() > 0, "nothing was in the cache"


@pytest.mark.parametrize("ways", ["", "jump", "append threads", "fork", "fork jump append threads"])
def test_what_handlers_do_is_done_once_and_whole(signals: Path, cached: Cached, tmp_path: Path, ways: str) -> None:
    """They write through the program's open file, seek, open, delete, fork, and are left by longjmp."""
    holds(signals, cached, tmp_path, 1, 30_000, "64Mi", ways)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "ways", ["", "jump", "append threads", "fork", "fork jump threads", "fork jump append threads"]
)
def test_for_long(signals: Path, cached: Cached, tmp_path: Path, ways: str) -> None:
    for seed in range(10, 40):
        holds(signals, cached, tmp_path, seed, 30_000, "1Mi" if seed % 2 else "64Mi", ways)


def test_a_program_sees_its_own_handlers(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    """By all of libc's names, in a child of vfork, and one that is called once only while files are at work."""
    program = programs.build_plain("io_handlers", "io_handlers.c", flags=["-pthread", "-w"])
    says_what_it_says_without(program, cached, tmp_path)


def test_buffers_that_are_not_there(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    """The kernel says EFAULT of them. A handler of faults is not called, and so cannot leave the cache by a jump."""
    program = programs.build_plain("io_faults", "io_faults.c", flags=["-pthread"])
    says_what_it_says_without(program, cached, tmp_path)


def test_signals_of_the_program_come_to_the_program(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    """The cache's own thread waits for signals, too: of leases, and of nothing that is sent to the process."""
    program = programs.build_plain("io_waits_for_signals", "io_waits_for_signals.c")
    folders = tmp_path / "plain", tmp_path / "scratch"
    folders[0].mkdir()
    plain, outcome = run_command([program, folders[0]]), cached(program, folders[1])
    assert plain.exit_code == 0 and outcome.exit_code == 0, outcome.says
    assert outcome.lines == plain.lines == ["all were sent"]
    assert load(tmp_path / "run").io_cache.data["files"].sum() > 0, "nothing was in the cache"
