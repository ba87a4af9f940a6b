"""A program with OpenMP does what it would do without us, whichever runtime it has, and whoever sees that."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.openmp import build_with
from harness.programs import ProgramBuilder
from harness.runs import run_command, run_job

from clearway.run import load


def same(mpi: Mpi, program: list[str], directory: Path) -> str:
    """Its output, which is that of the bare program."""
    bare = run_command(mpi.command(1, program), environment=mpi.environment)
    recorded = run_job(mpi, program, 1, directory)
    assert (bare.exit_code, recorded.exit_code) == (0, 0), recorded.says
    assert recorded.stdout == bare.stdout
    return recorded.stdout


@pytest.mark.parametrize("runtime", ["gcc", "llvm"])
def test_every_kind_of_region(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, runtime: str) -> None:
    library = programs.build_plain("openmp_library.so", "openmp_library.c", flags=("-fopenmp",), shared=True)
    flags = ("-DFORKS",) if runtime == "gcc" else ()
    program = build_with(runtime, programs, open_mpi, f"openmp-{runtime}", "openmp_all.c", *flags)
    words = [str(program), *([str(library)] if runtime == "gcc" else [])]
    assert "3 threads" in same(open_mpi, words, tmp_path / "run")
    teams = load(tmp_path / "run").teams.data
    assert int(teams["regions"].sum()) > 9
    assert teams["most_threads"].max() == 3
    assert teams["tasks"].any()
    assert not teams["region_entry_ticks"].any()
    assert not teams["body_entry_ticks"].any()


def test_a_runtime_that_only_a_library_sees(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    library = programs.build_plain("openmp_library.so", "openmp_library.c", flags=("-fopenmp",), shared=True)
    program = programs.build(open_mpi, "openmp_asks", "openmp_asks.c")
    assert same(open_mpi, [str(program), str(library)], tmp_path / "run").split() == ["1", "332833500"]
    assert int(load(tmp_path / "run").teams.data["regions"].sum()) == 1


def test_without_a_runtime_the_region_is_done_once(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "openmp_asks", "openmp_asks.c")
    assert same(open_mpi, [str(program)], tmp_path / "run").split() == ["1"]
