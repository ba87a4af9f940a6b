"""What the recorder's own thread does to its descriptors makes no file of the program leave the cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.programs import ProgramBuilder

from clearway.run import load


def test_sampler_leaves_the_table_after_a_file_was_opened(cached, programs: ProgramBuilder, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program = programs.build_plain("late_sampler", "late_sampler.c", flags=("-rdynamic",))
    outcome = cached(program, tmp_path / "scratch" / "file", own=True)
    if outcome.exit_code == 77:
        pytest.skip("the sampler shares the program's table here")
    assert outcome.exit_code == 0, outcome.says
    (cell,) = load(tmp_path / "run").io_cache.data
    assert (int(cell["files"]), int(cell["left_files"]), int(cell["deleted_files"])) == (1, 0, 1)
