"""A thread that only reads and writes cached files can be cancelled, as libc's functions have it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]


def test_threads_are_cancelled_in_calls_on_cached_files(
    programs: ProgramBuilder, cached: Cached, tmp_path: Path
) -> None:
    program = programs.build_plain("io_cancelled", "io_cancelled.c", flags=["-pthread"])
    plain, scratch = tmp_path / "plain", tmp_path / "scratch"
    plain.mkdir()
    said = run_command([program, plain])
    assert said.exit_code == 0, said.says
    answers = cached(program, scratch, timeout_s=30)
    assert answers.exit_code == 0, answers.says
    assert answers.lines == said.lines
    assert (scratch / "scratch").read_bytes() == (plain / "scratch").read_bytes()
