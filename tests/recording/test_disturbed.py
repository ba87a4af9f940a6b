"""Programs that end early, fail, throw, fork, or are tools themselves run as if nothing watched them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, own_words, run_command, run_job

ENDINGS = [
    "finalize", "no_init", "no_finalize", "abort", "exit", "_exit",
    "uncaught", "segv", "own_handler", "caught", "alarms",
]  # fmt: skip


def program_lines(lines: list[str]) -> list[str]:
    """What the program printed. A launcher's account of an unclean end has process ids and varies by itself."""
    return [line for line in lines if re.match(r"rank \d|its own handler", line)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_ends_as_bare(debian_mpi: Mpi, ending: str, programs: ProgramBuilder, run_directory: Path) -> None:
    program = programs.build(debian_mpi, "endings", "endings.cpp")
    bare = run_job(debian_mpi, [program, ending])
    recorded = run_job(debian_mpi, [program, ending], run_directory=run_directory)
    # Hydra kills the other rank after an unclean end, and on a busy machine reports now the one's end, now the other's.
    either = debian_mpi.family == "mpich" and recorded.exit_code != 0 and bare.exit_code != 0
    assert recorded.exit_code == bare.exit_code or either, recorded.says
    said, said_bare = program_lines(recorded.lines), program_lines(bare.lines)
    # After an unclean end the launcher kills the other rank, now and then before it has passed on what that one said.
    assert said == said_bare or (recorded.exit_code != 0 and (set(said) < set(said_bare) or set(said_bare) < set(said)))
    assert not own_words(recorded.stderr)
    page = load_page(run_directory)
    states = {rank["rank"]: rank["state"] for rank in page["ranks"]}
    if ending in ("finalize", "caught", "alarms"):
        assert states == {0: "exited", 1: "exited"}
        assert page["job"]["complete"]
    elif ending in ("abort", "_exit", "uncaught", "segv", "own_handler"):
        assert not page["job"]["complete"]
        assert page["job"]["notes"]
    if ending == "abort":
        assert "Rank 1 on " in page["sentence"] and "called MPI_Abort" in page["sentence"]
    if ending == "exit":
        assert "exited first, with code 5" in page["sentence"]
    if ending != "no_init":
        row = next(row for row in page["mpi_calls"] if row["function"] == "MPI_Allreduce")
        assert row["count"] >= 200


@pytest.mark.parametrize("name", ["errors", "tools"])
def test_same_output(any_mpi: Mpi, name: str, programs: ProgramBuilder, run_directory: Path) -> None:
    program = programs.build(any_mpi, name, f"{name}.c")
    bare = run_job(any_mpi, [program])
    recorded = run_job(any_mpi, [program], run_directory=run_directory)
    assert recorded.exit_code == bare.exit_code, recorded.says
    assert recorded.lines == bare.lines
    assert not own_words(recorded.stderr)
    load_page(run_directory)


def test_children_inherit_nothing_and_leave_no_record(
    debian_mpi: Mpi, programs: ProgramBuilder, run_directory: Path
) -> None:
    program = programs.build(debian_mpi, "children", "children.c")
    bare = run_job(debian_mpi, [program])
    recorded = run_job(debian_mpi, [program], run_directory=run_directory)
    assert recorded.exit_code == bare.exit_code == 0, recorded.says
    assert recorded.lines == bare.lines
    assert len(list(run_directory.glob("rank.*.cwr"))) == 2
    assert load_page(run_directory)["job"]["complete"]


def test_mpi_of_the_other_kind_passes_through(programs: ProgramBuilder, debian_mpi: Mpi, tmp_path: Path) -> None:
    """A program without MPI under a launcher, as `mpirun hostname`: nothing happens, nothing is said."""
    recorded = run_job(debian_mpi, ["/bin/sh", "-c", "echo plain; exit 6"], run_directory=tmp_path / "run")
    assert recorded.exit_code == 6
    assert recorded.lines[-2:] == ["plain", "plain"] or "plain" in recorded.lines
    assert not own_words(recorded.stderr)


def test_a_plugin_is_unloaded_with_its_mpi_and_loaded_again(
    debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """Without us it is another MPI each time, which is started again; with us it stays, for we know its functions."""
    plugin = programs.build(debian_mpi, "sums_plugin.so", "sums_plugin.c", shared=True)
    loader = programs.build_plain("late_load_again", "late_load_again.c")
    command = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--", loader, plugin]
    recorded = run_command(command, debian_mpi.environment)
    assert (recorded.exit_code, recorded.lines) == (0, ["0", "1", "2"]), recorded.says
