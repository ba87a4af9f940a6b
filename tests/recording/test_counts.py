"""Each MPI call is counted once, in every language binding and on every MPI, and the results stay the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.programs import SOURCES, ProgramBuilder
from harness.runs import counted, load_page, load_truth, own_words, run_job

SECTIONS = sorted(source.stem for source in (SOURCES / "calls").glob("*.c") if source.stem != "main")
CALLS = ["calls/main.c", "tally.c", *(f"calls/{section}.c" for section in SECTIONS)]

# MPICH's and Intel's own persistent collectives fail on three ranks, recorded or not.
THREE_RANK_SECTIONS = [section for section in SECTIONS if section != "persistent_collectives"]


def assert_counted_once(truth: dict[str, dict[str, int | None]], page_counts: dict[str, dict[str, int]]) -> None:
    """Every call and byte that the program made is on the page, and nothing else."""
    wrong = []
    for function in sorted(truth.keys() | page_counts.keys()):
        made = truth.get(function, {"count": 0, "bytes": 0})
        seen = page_counts.get(function, {"count": 0, "bytes": 0})
        if made["count"] != seen["count"] or (made["bytes"] is not None and made["bytes"] != seen["bytes"]):
            wrong.append(f"{function}: made {made}, on the page {seen}")
    assert not wrong, "\n".join(wrong)


def check(
    mpi: Mpi, command: list[str | Path], tmp_path: Path, ranks: int = 2, environment: dict[str, str] | None = None
) -> None:
    """Runs `command` bare and recorded: same output, and the page says what the program says of itself."""
    settings = {"SCRATCH": str(tmp_path), **(environment or {})}
    bare = run_job(mpi, command, ranks, environment=settings)
    assert bare.exit_code == 0, bare.says
    settings["TRUTH"] = str(tmp_path / "truth")
    recorded = run_job(mpi, command, ranks, tmp_path / "run", environment=settings)
    assert recorded.exit_code == 0, recorded.says
    assert recorded.lines == bare.lines
    assert not own_words(recorded.stderr)
    page = load_page(tmp_path / "run")
    assert page["job"]["ranks"] == page["job"]["ranks_expected"] == ranks
    assert page["job"]["complete"]
    assert_counted_once(load_truth(tmp_path / "truth"), counted(page))


def no_broken_atomics(mpi: Mpi) -> dict[str, str]:
    """Open MPI 4.1.4 crashes in MPI_Fetch_and_op over its osc/rdma component, recorded or not."""
    return {"OMPI_MCA_osc": "sm,pt2pt"} if mpi.name == "openmpi-debian" else {}


def test_c(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(any_mpi, "calls", *CALLS)
    check(any_mpi, [program], tmp_path, environment=no_broken_atomics(any_mpi))


def test_c_on_three_ranks(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "calls", *CALLS)
    check(debian_mpi, [program, *THREE_RANK_SECTIONS], tmp_path, ranks=3, environment=no_broken_atomics(debian_mpi))


@pytest.mark.parametrize("options", [(), ("--flow",)], ids=str)
def test_large_counts_where_the_mpi_has_none(
    any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """mpi4py calls MPI_Send_c if there is one: ours is there with Open MPI 4.1, too, and must then be MPI_Send."""
    command = [programs.build(any_mpi, "weak_large", "weak_large.c")]
    bare = run_job(any_mpi, command, 3)
    recorded = run_job(any_mpi, command, 3, tmp_path / "run", record_options=options)
    assert bare.exit_code == recorded.exit_code == 0, recorded.says
    assert sorted(recorded.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    assert {
        name: calls["count"] for name, calls in counted(load_page(tmp_path / "run")).items() if name.endswith("_c")
    } == {
        "MPI_Send_c": 3,
        "MPI_Recv_c": 3,
        "MPI_Allreduce_c": 3,
        "MPI_Alltoallv_c": 3,
        "MPI_Ialltoallv_c": 3,
        "MPI_Gatherv_c": 3,
        "MPI_Allgather_c": 3,
    }


def test_large_counts_of_neighbourhoods(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Open MPI 4.1 has none: mpi4py's neighbor_alltoall was a NotImplementedError, which it is not without Clearway."""
    command = [programs.build(any_mpi, "weak_neighbours", "weak_neighbours.c")]
    bare = run_job(any_mpi, command, 3)
    recorded = run_job(any_mpi, command, 3, tmp_path / "run")
    assert bare.exit_code == recorded.exit_code == 0, recorded.says
    assert sorted(recorded.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    calls = counted(load_page(tmp_path / "run"))
    names = [f"MPI_Neighbor_{name}_c" for name in ("allgatherv", "alltoallv", "alltoallw")]
    assert [calls[name]["count"] for name in names] == [6, 6, 6]


def test_communicators_that_are_freed_inside_another_call(
    any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """Their handles come back as others': as long as the new one's are the arrays given to the MPI, and its ranks."""
    command = [programs.build(any_mpi, "cached_comm", "cached_comm.c")]
    bare = run_job(any_mpi, command, 3)
    recorded = run_job(any_mpi, command, 3, tmp_path / "run")
    assert bare.exit_code == recorded.exit_code == 0, recorded.says
    assert recorded.lines == bare.lines == [f"rank {rank}: 0 wrong" for rank in range(3)]
    page = load_page(tmp_path / "run")
    sizes = {(row["function"].removesuffix("_c"), row["communicator_size"]) for row in page["collectives"]}
    assert {size for function, size in sizes if function == "MPI_Allgatherv"} == {3}


def test_large_counts_on_more_communicators_than_the_record_holds(
    any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    command = [programs.build(any_mpi, "cached_comm", "cached_comm.c"), "1100"]
    recorded = run_job(any_mpi, command, 2, tmp_path / "run")
    assert recorded.exit_code == 0, recorded.says
    assert recorded.lines == ["rank 0: 0 wrong", "rank 1: 0 wrong"]


def test_functions_that_the_mpi_lacks(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Open MPI 4.1 has no MPI_Isendrecv: NotImplementedError in mpi4py, which duplicates communicators without info."""
    command = [programs.build(any_mpi, "weak_new", "weak_new.c")]
    bare = run_job(any_mpi, command, 1)
    recorded = run_job(any_mpi, command, 1, tmp_path / "run")
    assert bare.exit_code == recorded.exit_code == 0, recorded.says
    assert recorded.stdout == bare.stdout
    assert "MPI_Isendrecv: absent" in bare.stdout or any_mpi.name != "openmpi-debian"


@pytest.mark.parametrize("binding", ["USE_MPIF_H", "USE_MPI", "USE_MPI_F08"])
def test_fortran(any_mpi: Mpi, binding: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(any_mpi, binding.lower(), "fortran.F90", "tally.c", flags=[f"-D{binding}"])
    check(any_mpi, [program], tmp_path)


def test_persistent_sends_count_each_time(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Not once where they are made: 30 messages of 1,000 bytes, one way, and no others."""
    outcome = run_job(debian_mpi, [programs.build(debian_mpi, "persistent", "persistent.c")], 2, tmp_path / "run")
    assert outcome.exit_code == 0, outcome.says
    page = load_page(tmp_path / "run")
    assert [(row["bytes_sent"], row["bytes_received"]) for row in page["ranks"]] == [(30_000, 0), (0, 30_000)]
    assert page["messages"]["matrix"]["bytes"] == [[0, 30_000], [0, 0]]
    assert [(row["low_bytes"], row["bytes"]) for row in page["messages"]["histogram"]] == [(512, 30_000)]


def test_four_threads_at_once(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(any_mpi, "threads", "threads.c", "tally.c")
    check(any_mpi, [program], tmp_path)


def test_mpi_loaded_late_and_locally(any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    plugin = programs.build(any_mpi, "plugin.so", "plugin.c", "tally.c", shared=True)
    loader = programs.build_plain("late_load", "late_load.c")
    check(any_mpi, [loader, plugin], tmp_path)


def test_started_by_a_shell_script(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "threads", "threads.c", "tally.c")
    script = tmp_path / "wrapper.sh"
    script.write_text('#!/bin/sh\n# as sites wrap ranks: set something up, then run\nulimit -c 0\ntrue | cat\n"$@"\n')
    script.chmod(0o755)
    check(debian_mpi, [script, program], tmp_path)
