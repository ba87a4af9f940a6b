"""PMPI tools in shared libraries count what they count without us, wherever they stand, and we count each call once."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import counted, load_page, load_truth, own_words, run_command, run_job
from recording.test_counts import assert_counted_once

KINDS = {"counter": [], "watcher": ["-DWATCHER"]}
WATCHERS_OWN = {"MPI_Sendrecv", "MPI_Allreduce"}  # what its thread calls: MPI traffic of the process, as any other


@pytest.fixture(params=KINDS)
def tool(request: pytest.FixtureRequest, debian_mpi: Mpi, programs: ProgramBuilder) -> Path:
    """A tool's shared library: one that counts, or one that watches by a thread of its own as well."""
    return programs.build(debian_mpi, f"{request.param}.so", "pmpi/tool.c", flags=KINDS[request.param], shared=True)


def preloaded(library: str | Path, command: list[str | Path]) -> list[str | Path]:
    return ["env", f"LD_PRELOAD={library}", *command]


def recorded(run_directory: Path, command: list[str | Path], flow: bool) -> list[str | Path]:
    options = ["--flow"] if flow else []
    return [clearway_tool("clearway-record"), "-o", run_directory, *options, "--", *command]


def check(
    mpi: Mpi,
    bare: list[str | Path],
    watched: list[str | Path],
    tmp_path: Path,
    counts: bool = True,
    tool_speaks: bool = True,
) -> None:
    """Runs both: they print the same, the tool's counts among it, and the page has each call of the program once."""
    settings = {"SCRATCH": str(tmp_path)}
    expected = run_job(mpi, bare, environment=settings)
    assert expected.exit_code == 0, expected.says
    assert not tool_speaks or "tool: Finalize 2" in expected.lines
    seen = run_job(mpi, watched, environment={**settings, "TRUTH": str(tmp_path / "truth")})
    assert seen.exit_code == 0, seen.says
    assert sorted(seen.lines) == sorted(expected.lines)
    assert not own_words(seen.stderr)
    page = load_page(tmp_path / "run")
    assert page["job"]["complete"]
    assert page["job"]["ranks"] == 2
    if not counts:
        return
    truth, found = load_truth(tmp_path / "truth"), counted(page)
    for function in WATCHERS_OWN:
        truth.pop(function, None)
        found.pop(function, None)
    assert_counted_once(truth, found)


@pytest.mark.parametrize("flow", [False, True], ids=["", "flow"])
def test_linked(debian_mpi: Mpi, programs: ProgramBuilder, tool: Path, flow: bool, tmp_path: Path) -> None:
    flags = ["-Wl,--no-as-needed", str(tool)]
    program = programs.build(debian_mpi, f"with_{tool.stem}", "pmpi/program.c", "tally.c", flags=flags)
    check(debian_mpi, [program], recorded(tmp_path / "run", [program], flow), tmp_path)


def test_preloaded_behind_us(debian_mpi: Mpi, programs: ProgramBuilder, tool: Path, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "pmpi", "pmpi/program.c", "tally.c")
    watched = preloaded(tool, recorded(tmp_path / "run", [program], flow=True))
    check(debian_mpi, preloaded(tool, [program]), watched, tmp_path)


def test_preloaded_before_us_and_handing_on_by_the_same_name(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = programs.build(debian_mpi, "pmpi", "pmpi/program.c", "tally.c")
    library = programs.build(debian_mpi, "next.so", "pmpi/next.c", shared=True)
    ours = (clearway_tool("clearway-record").parent.parent / "lib" / "libclearway.so").resolve()
    watched = preloaded(f"{library}:{ours}", recorded(tmp_path / "run", [program], flow=False))
    check(debian_mpi, preloaded(library, [program]), watched, tmp_path, tool_speaks=False)


def test_preloaded_before_us(debian_mpi: Mpi, programs: ProgramBuilder, tool: Path, tmp_path: Path) -> None:
    """What it calls itself can then not be told from what the program calls."""
    program = programs.build(debian_mpi, "pmpi", "pmpi/program.c", "tally.c")
    library = (clearway_tool("clearway-record").parent.parent / "lib" / "libclearway.so").resolve()
    watched = preloaded(f"{tool}:{library}", recorded(tmp_path / "run", [program], flow=False))
    check(debian_mpi, preloaded(tool, [program]), watched, tmp_path, counts=False)


@pytest.mark.parametrize("binding", ["USE_MPIF_H", pytest.param("USE_MPI_F08", marks=pytest.mark.slow)])
def test_fortran(debian_mpi: Mpi, programs: ProgramBuilder, tool: Path, binding: str, tmp_path: Path) -> None:
    """What a tool that wraps C sees of Fortran depends on the MPI: nothing where mpi_send_ calls PMPI_Send."""
    program = programs.build(debian_mpi, binding.lower(), "fortran.F90", "tally.c", flags=[f"-D{binding}"])
    watched = preloaded(tool, recorded(tmp_path / "run", [program], flow=True))
    sees_fortran = debian_mpi.family == "mpich" and binding == "USE_MPIF_H"  # its mpi_f08 calls PMPI_ functions
    check(debian_mpi, preloaded(tool, [program]), watched, tmp_path, tool_speaks=sees_fortran)


def test_linked_by_what_loads_mpi_late(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """A plugin brings MPI and the tool in a scope of its own."""
    tool = programs.build(debian_mpi, "counter.so", "pmpi/tool.c", shared=True)
    flags = ["-Wl,--no-as-needed", str(tool)]
    plugin = programs.build(debian_mpi, "plugin_with_tool.so", "plugin.c", "tally.c", flags=flags, shared=True)
    command: list[str | Path] = [programs.build_plain("late_load", "late_load.c"), plugin]
    check(debian_mpi, command, recorded(tmp_path / "run", command, flow=False), tmp_path)


def test_stand_in_for_mpi(programs: ProgramBuilder, tmp_path: Path) -> None:
    """A serial build brings MPI_ functions of its own, without PMPI_ ones: they are what is called."""
    library = programs.build_plain("serial_mpi.so", "serial_mpi.c", flags=["-DSTUBS"], shared=True)
    program = programs.build_plain("serial_mpi", "serial_mpi.c", flags=["-Wl,--no-as-needed", str(library)])
    bare = run_command([program])
    assert bare.exit_code == 0, bare.says
    seen = run_command(recorded(tmp_path / "run", [program], flow=False))
    assert seen.says == bare.says
    assert seen.exit_code == 0
