"""Threads that a library starts when it is loaded, and that are given no work, are none of the job's.

OpenBLAS starts one for each core. tests/programs/idle_pool.c stands for it: what else it brings would be recorded, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job

from clearway.run import load
from clearway.run.layout import THREAD_ONLY_ASKED

LINES = ("compute_s", "core_wait_s", "team_wait_s", "serial_s", "elsewhere_s", "beside_s", "mpi_threads_s", "unused_s")
COMPUTED_S = {"computes": 0.2, "works": 0.4}  # by the thread of the pool


def page_of(pool: str, mpi: Mpi, programs: ProgramBuilder, folder: Path) -> dict[str, Any]:
    """Of one rank that computes for half a second."""
    library = programs.build_plain("libidle_pool.so", "idle_pool.c", shared=True)
    program = programs.build(mpi, "one-thread", "one_thread.c", flags=("-Wl,--no-as-needed", str(library)))
    words = [str(program), "0.5"]
    outcome = run_job(mpi, words, 1, folder / pool, environment={"POOL": pool, "OMP_NUM_THREADS": "1"})
    assert outcome.exit_code == 0, outcome.says
    return load_page(folder / pool)


def test_a_pool_without_work_is_no_thread_of_the_job(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    cores = page_of("asks", open_mpi, programs, tmp_path)["cores"]
    assert cores["fewest_threads"] == cores["most_threads"] == 1
    assert [len(rank["threads"]) for rank in cores["ranks"]] == [1]
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    flags = load(tmp_path / "asks").thread_uses.data["flags"]
    assert (flags & THREAD_ONLY_ASKED != 0).sum() == 1  # it was there, and had its processor time


@pytest.mark.parametrize("pool", COMPUTED_S)
def test_a_pool_that_computes_for_a_moment_is_one(
    pool: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    page = page_of(pool, open_mpi, programs, tmp_path)
    cores = page["cores"]
    assert cores["most_threads"] == 2
    assert len(cores["ranks"][0]["threads"]) == 2
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert cores["compute_s"] - page["ledger"]["compute_s"] == pytest.approx(COMPUTED_S[pool], rel=0.1)
