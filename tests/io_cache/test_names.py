"""Findings name files as the kernel does; what they recommend holds however the program names them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]

WRITES = "import os, sys; os.chdir(sys.argv[1]); os.write(os.open(sys.argv[2], os.O_CREAT | os.O_RDWR), b'a')"
NAMES = ["real/file", "./real/file", "real//file", "real/../real/./file", "link/file", "{here}/link/file"]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_the_program_calls_it(cached: Cached, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "real"
    (tmp_path / "link").symlink_to(folder)
    outcome = cached(sys.executable, "-c", WRITES, tmp_path, name.format(here=tmp_path), folder=folder)
    assert outcome.exit_code == 0, outcome.says
    assert load(tmp_path / "run").io_cache.data["files"].tolist() == [1]


def test_other_files_stay_outside(cached: Cached, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    outcome = cached(sys.executable, "-c", WRITES, tmp_path, "./other/file", folder=tmp_path / "real")
    assert outcome.exit_code == 0, outcome.says
    assert load(tmp_path / "run").io_cache.data["files"].tolist() == []


def test_libcs_other_names_of_its_functions(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    """Of `__write` and the like, which old libraries call: past the cache their bytes would go to another place."""
    program = programs.build_plain("io_other_names", "io_other_names.c")
    plain, scratch = tmp_path / "plain", tmp_path / "scratch"
    plain.mkdir()
    said, answers = run_command([program, plain]), cached(program, scratch)
    assert said.exit_code == 0 and answers.exit_code == 0, answers.says
    assert answers.lines == said.lines
    for name in ("scratch", "other"):
        assert (scratch / name).read_bytes() == (plain / name).read_bytes()
    assert load(tmp_path / "run").io_cache.data["files"].sum() >= 2
