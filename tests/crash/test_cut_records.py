"""Records cut at any offset, as a lost file system leaves them: a page or one clear message, never a traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job

HEADER_BYTES, DIRECTORY_END = 4096, 16384


@pytest.fixture(scope="module")
def recorded(programs: ProgramBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Run of two ranks."""
    open_mpi = mpi("openmpi-debian")
    program = programs.build(open_mpi, "busy", "busy.c")
    directory = tmp_path_factory.mktemp("cut") / "run"
    outcome = run_job(open_mpi, [program, "0.3"], run_directory=directory)
    assert outcome.exit_code == 0, outcome.says
    return directory


def offsets(size: int) -> list[int]:
    edges = [0, 1, 8, 12, 100, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 23, HEADER_BYTES + 24, DIRECTORY_END - 1]
    edges += [DIRECTORY_END, DIRECTORY_END + 1, size // 2, size - 4096, size - 1]
    return sorted({edge for edge in edges if 0 <= edge < size})


def test_cut_anywhere(recorded: Path, tmp_path: Path) -> None:
    victim = sorted(recorded.glob("rank.*.cwr"))[0]
    whole = load_page(recorded)
    for offset in offsets(victim.stat().st_size):
        copy = tmp_path / f"cut{offset}"
        shutil.copytree(recorded, copy)
        with (copy / victim.name).open("r+b") as file:
            file.truncate(offset)
        target = tmp_path / "page.json"
        target.unlink(missing_ok=True)
        outcome = run_clearway("report", copy, "--json", target)
        if outcome.exit_code == 0:
            page = json.loads(target.read_text())
            # The end of a record may be room that was never used: whoever cuts there takes nothing.
            assert page["job"]["notes"] or page == {**whole, "job": page["job"]}, offset
        else:
            assert outcome.stderr.startswith("error:"), (offset, outcome.stderr)


def test_all_cut(recorded: Path, tmp_path: Path) -> None:
    copy = tmp_path / "cut"
    shutil.copytree(recorded, copy)
    for record in copy.glob("*.cwr"):
        record.write_bytes(b"")
    outcome = run_clearway("report", copy, "--json", tmp_path / "page.json")
    assert outcome.exit_code != 0
    assert outcome.stderr.startswith("error:")
