"""Programs that hand libc or the MPI what no program should get their own answer, and go on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command, run_job

START = """
import os, sys
try: os.execv(sys.argv[1], ["fifo"])
except OSError as error: print(error.errno)
"""
CACHE = ("--io-cache", "10Mi", "--io-cache-files", "*")


@pytest.fixture(scope="module")
def bare(programs: ProgramBuilder, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    program = programs.build_plain("bad_pointers", "bad_pointers.c")
    return program, run_command([program, tmp_path_factory.mktemp("bare")], {}, 60)


@pytest.mark.parametrize("options", [(), CACHE], ids=["recorded", "cached"])
def test_the_kernel_answers(bare: tuple[Path, Outcome], options: tuple[str, ...], tmp_path: Path) -> None:
    program, expected = bare
    (tmp_path / "files").mkdir()
    recorder = [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--always", "--"]
    said = run_command([*recorder, program, tmp_path / "files"], {}, 60)
    assert len(expected.lines) > 400
    assert said.lines == expected.lines
    assert said.exit_code == expected.exit_code == 0


@pytest.mark.parametrize("options", [(), CACHE], ids=["recorded", "cached"])
def test_a_fifo_is_no_program(options: tuple[str, ...], tmp_path: Path) -> None:
    """To look into it would wait for somebody who writes."""
    os.mkfifo(tmp_path / "fifo", 0o755)
    recorder = [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--always", "--"]
    said = run_command([*recorder, sys.executable, "-c", START, tmp_path / "fifo"], {}, 30)
    assert (said.exit_code, said.lines) == (0, ["13"]), said.says


def test_the_mpi_answers(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Where errors are returned, a request that is none is no reason to crash."""
    program = programs.build(debian_mpi, "null_requests", "null_requests.c")
    bare = run_job(debian_mpi, [program], 1)
    recorded = run_job(debian_mpi, [program], 1, tmp_path / "run")
    assert len(bare.lines) == 7, bare.says
    assert (recorded.exit_code, recorded.lines) == (bare.exit_code, bare.lines), recorded.says
