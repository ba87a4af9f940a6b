"""The cache's own descriptors are in nobody's way, and the program's tell what they would tell without it."""

from __future__ import annotations

import filecmp
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


def same(program: Path, cached: Cached, tmp_path: Path, *arguments: int) -> None:
    plain, scratch = tmp_path / "plain", tmp_path / "scratch"
    plain.mkdir()
    said = run_command([program, plain, *arguments])
    assert said.exit_code == 0, said.says
    answers = cached(program, scratch, *arguments, folder=scratch)
    assert answers.exit_code == 0, answers.says
    assert answers.lines == said.lines
    names = sorted(path.name for path in plain.iterdir() if not path.name.startswith("made."))
    assert filecmp.cmpfiles(plain, scratch, names, shallow=False)[1:] == ([], [])
    assert load(tmp_path / "run").io_cache.data["files"].sum() >= 5, "hardly anything was in the cache"


# Where the soft limit is the hard one, ours must lie below it.
@pytest.mark.parametrize(("soft", "hard"), [(64, 64), (256, 256), (256, 1024), (700, 4096)])
def test_a_table_used_to_the_last_place(
    programs: ProgramBuilder, cached: Cached, tmp_path: Path, soft: int, hard: int
) -> None:
    same(programs.build_plain("io_limits", "io_limits.c"), cached, tmp_path, soft, hard)


def test_flags(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    same(programs.build_plain("io_flags", "io_flags.c"), cached, tmp_path)
