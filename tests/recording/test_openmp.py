"""A program with OpenMP does what it would do without us, whichever runtime it has, and whoever sees that."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.openmp import build_with, linked_first
from harness.programs import ProgramBuilder
from harness.runs import run_command, run_job

from clearway.run import load


def same(mpi: Mpi, program: list[str], directory: Path, **environment: str) -> str:
    """Its output, which is that of the bare program."""
    bare = run_command(mpi.command(1, program), environment={**mpi.environment, **environment})
    recorded = run_job(mpi, program, 1, directory, environment=environment)
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


@pytest.mark.parametrize("runtime", ["gcc", "llvm"])
def test_tasks_with_regions_of_their_own(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, runtime: str) -> None:
    program = build_with(runtime, programs, open_mpi, f"openmp-tasks-{runtime}", "openmp_tasks.c")
    said = same(open_mpi, [str(program)], tmp_path / "run")
    assert said.strip() == "800 of 800, 200 of 200, 0 in the wrong region"


def test_a_runtime_that_is_unloaded_and_loaded_elsewhere(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    library = programs.build_plain("openmp_plugin.so", "openmp_plugin.c", flags=("-fopenmp",), shared=True)
    program = programs.build(open_mpi, "openmp-reload", "openmp_reload.c")
    said = same(open_mpi, [str(program), str(library)], tmp_path / "run", OMP_NUM_THREADS="1")
    assert said.split() == ["332833500"] * 3


@pytest.mark.parametrize("later", [(), ("libgomp.so.1",)], ids=["private", "and-one-for-all-later"])
def test_two_runtimes_in_one_process(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, later: tuple[str, ...]
) -> None:
    """Each library keeps its own; and of the two one tells of its regions, of the other its entry points do."""
    flags = {"gcc": ("-fopenmp",), "llvm": ("-fopenmp", *linked_first("llvm"))}
    libraries = [
        str(programs.build_plain(f"openmp_{name}.so", "openmp_library.c", flags=each, shared=True))
        for name, each in flags.items()
    ]
    program = programs.build(open_mpi, "openmp-two", "openmp_two.c")
    said = same(open_mpi, [str(program), *libraries, *later], tmp_path / "run")
    assert said.splitlines() == ["332833500 332833500"] * 5
    assert int(load(tmp_path / "run").teams.data["regions"].sum()) == 10


def test_regions_of_a_forked_child(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """GCC's runtime hangs in a child that was forked once there were threads; LLVM's begins anew."""
    program = build_with("llvm", programs, open_mpi, "openmp-child", "openmp_child.c")
    assert same(open_mpi, [str(program)], tmp_path / "run").split() == ["2", "child:", "31"]
    teams = load(tmp_path / "run").teams.data
    assert not teams["region_entry_ticks"].any()
    assert not teams["body_entry_ticks"].any()


@pytest.mark.parametrize("runtime", ["gcc", "llvm"])
def test_of_nested_regions_the_outermost_count(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, runtime: str
) -> None:
    program = build_with(runtime, programs, open_mpi, f"openmp-nested-{runtime}", "openmp_nested.c")
    assert same(open_mpi, [str(program), "0.2"], tmp_path / "run").split() == ["4"]
    teams = load(tmp_path / "run").teams.data
    assert int(teams["regions"].sum()) == 1
    assert teams["team_ticks"].sum() >= teams["work_ticks"].sum() > 0


def test_more_threads_than_there_is_room_for(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """2,100 threads, one after another. The later ones have not waited because nothing is known of them."""
    program = build_with("gcc", programs, open_mpi, "openmp-sizes", "openmp_sizes.c")
    assert same(open_mpi, [str(program), "150", "16", "10"], tmp_path / "run").split() == ["2700"]
    teams = load(tmp_path / "run").teams.data
    assert int(teams["regions"].sum()) == 300
    # Without the later ones it would be 0.54. Threads begin a little later than their region, more so beside others.
    assert teams["work_ticks"].sum() > 0.6 * teams["team_ticks"].sum()
