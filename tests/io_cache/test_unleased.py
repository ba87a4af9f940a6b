"""Where the kernel grants no leases, the program itself may still open a file in any way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


def test_opened_past_the_cache(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    program = programs.build_plain("io_unleased", "io_unleased.c")
    (tmp_path / "plain").mkdir()
    plain = run_command([program, tmp_path / "plain"])
    if plain.exit_code == 77:
        pytest.skip("no filter of system calls here")
    assert plain.exit_code == 0, plain.says
    outcome = cached(program, tmp_path / "scratch", own=True)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.lines == plain.lines
    assert load(tmp_path / "run").io_cache.data["files"].sum() == 4, "not all were in the cache"
