"""A program's descriptors have the numbers that they have bare, and none of ours is among them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command


@pytest.mark.parametrize("cached", [False, True])
def test_lowest_free_numbers(programs: ProgramBuilder, tmp_path: Path, cached: bool) -> None:
    """For long enough that the sampler and the keeper have looked around several times."""
    program = programs.build_plain("lowest_free", "lowest_free.c")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    cache = ["--io-cache", "64Mi", "--io-cache-files", f"{scratch}/*"] if cached else []
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", *cache, "--"]
    job = shlex.join(str(word) for word in [*record, program, scratch, "2200"])
    outcome = run_command(["sh", "-c", f"ulimit -S -n 256; ulimit -H -n 4096; exec {job}"])
    assert outcome.exit_code == 0, outcome.says
    assert outcome.lines == ["wrong 0, others 0"]
