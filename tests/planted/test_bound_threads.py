"""Programs whose OpenMP runtime binds their threads (OMP_PROC_BIND). GCC's binds the main thread when it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job
from planted.test_threads import LINES, build_teams, rules

BOUND = {"OMP_PROC_BIND": "true", "OMP_PLACES": "{0},{1}", "OMP_WAIT_POLICY": "passive"}


def recorded(
    kind: str, ranks: int, threads: int, mpi: Mpi, programs: ProgramBuilder, folder: Path, **environment: str
) -> dict[str, Any]:
    words = [str(build_teams(kind, programs, mpi)), kind, "20", "0.03", "0.03", "0.0"]
    variables = {**BOUND, "OMP_NUM_THREADS": str(threads), "TRUTH": str(folder / "truth"), **environment}
    outcome = run_job(mpi, words, ranks, folder / "run", environment=variables)
    assert outcome.exit_code == 0, outcome.says
    return load_page(folder / "run")


@pytest.mark.parametrize("kind", ["gcc-passive", "llvm"])
def test_a_rank_was_given_more_than_its_main_thread_is_bound_to(
    kind: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    page = recorded(kind, 1, 2, open_mpi, programs, tmp_path)
    cores = page["cores"]
    assert (cores["cores"], cores["most_threads"]) == (2.0, 2)
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    assert [thread["cpus"] for thread in cores["ranks"][0]["threads"]] == ["0", "1"]
    assert not {"shared-core", "idle-allocation", "hyper-threads"} & set(rules(page)), page["findings"]


@pytest.mark.timed
def test_all_threads_of_a_rank_on_the_core_of_the_main_thread(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    page = recorded("gcc-passive", 1, 2, open_mpi, programs, tmp_path, OMP_PROC_BIND="master")
    check_shared(page)


@pytest.mark.timed
def test_each_rank_binds_itself_to_the_first_core_of_all(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """The launcher binds nobody, and so each rank's runtime thinks that all cores are its own."""
    flags = ("-Wl,--no-as-needed", "-lgomp")
    program = programs.build(open_mpi, "one-thread-bound", "one_thread.c", flags=flags)
    variables = {**BOUND, "OMP_NUM_THREADS": "1"}
    outcome = run_job(open_mpi, [str(program), "1.5"], 2, tmp_path / "run", environment=variables)
    assert outcome.exit_code == 0, outcome.says
    check_shared(load_page(tmp_path / "run"))


def check_shared(page: dict[str, Any]) -> None:
    found = next(each for each in page["findings"] if each["rule"] == "shared-core")
    assert "may use 1 processor" in found["says"]
    assert "load-imbalance" not in rules(page)
