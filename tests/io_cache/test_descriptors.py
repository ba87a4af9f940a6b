"""The cache's own descriptors are in nobody's way, and the program's tell what they would tell without it."""

from __future__ import annotations

import filecmp
import time
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command


def same(program: Path, tmp_path: Path, *arguments: int) -> None:
    """Without the recorder, whose sampler opens files now and then, and has the lowest free descriptor meanwhile."""
    plain, scratch, run = (tmp_path / name for name in ("plain", "scratch", "run"))
    for folder in (plain, scratch, run):
        folder.mkdir()
    said = run_command([program, plain, *arguments])
    assert said.exit_code == 0, said.says
    environment = {
        "LD_PRELOAD": str(Path(clearway_tool("clearway-record")).parents[1] / "lib/libclearway-io.so"),
        "CLEARWAY_IO_CACHE": "64Mi",
        "CLEARWAY_IO_CACHE_FILES": f"{scratch}/*",
        "CLEARWAY_IO_CACHE_SINCE_NS": str(time.time_ns()),
        "CLEARWAY_DIR": str(run),
    }
    answers = run_command([program, scratch, *arguments], environment)
    assert answers.exit_code == 0, answers.says
    assert answers.lines == said.lines
    names = sorted(path.name for path in plain.iterdir() if not path.name.startswith("made."))
    assert filecmp.cmpfiles(plain, scratch, names, shallow=False)[1:] == ([], [])
    assert list(run.glob("io.*.cwr")), "nothing was in the cache"


# Where the soft limit is the hard one, ours must lie below it.
@pytest.mark.parametrize(("soft", "hard"), [(64, 64), (256, 256), (256, 1024), (700, 4096)])
def test_a_table_used_to_the_last_place(programs: ProgramBuilder, tmp_path: Path, soft: int, hard: int) -> None:
    same(programs.build_plain("io_limits", "io_limits.c"), tmp_path, soft, hard)


@pytest.mark.parametrize(("soft", "hard"), [(64, 64), (64, 1024)])
def test_files_leave_a_full_table(programs: ProgramBuilder, tmp_path: Path, soft: int, hard: int) -> None:
    """Where nothing can be opened, descriptors of a file that was opened twice would share one position."""
    same(programs.build_plain("io_full_table", "io_full_table.c"), tmp_path, soft, hard)


def test_flags(programs: ProgramBuilder, tmp_path: Path) -> None:
    same(programs.build_plain("io_flags", "io_flags.c"), tmp_path)
