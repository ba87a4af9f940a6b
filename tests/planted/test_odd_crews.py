"""Hybrid programs for which nothing was planned: they compute what they do without us, and the ledger adds up.

Teams of another size each time, regions begun by several threads at once, threads that each call MPI, OpenMP's target
on the host, a program that binds itself half way, and thousands of threads one after another.
"""

from __future__ import annotations

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

LINES = ("compute_s", "core_wait_s", "team_wait_s", "serial_s", "elsewhere_s", "beside_s", "mpi_threads_s", "unused_s")
STEPS, STEP_S = 25, 0.03
THREADS = {"dynamic": 3, "target": 2, "several": 7, "multiple": 5, "pins": 2, "thousands": 2}


@pytest.mark.parametrize("kind", THREADS)
def test_whatever_the_threads_are_organised_as(
    kind: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp(kind)
    ranks = 2 if kind == "multiple" else 1
    program = programs.build(open_mpi, "odd-crews", "odd_crews.c", flags=("-fopenmp",))
    words = [str(program), kind, str(STEPS), str(STEP_S)]
    environment = {"TRUTH": str(folder / "truth"), "OMP_WAIT_POLICY": "passive"}
    bare = run_job(open_mpi, words, ranks, None, environment=environment)
    outcome = run_job(open_mpi, words, ranks, folder / "run", environment=environment)
    assert outcome.exit_code == 0, outcome.says
    assert sorted(outcome.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    page, truth = load_page(folder / "run"), load_facts(folder / "truth")
    cores = page["cores"]
    assert cores["most_threads"] == THREADS[kind]
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    computed_s = sum(facts["cpu_s"] for facts in truth.values())
    assert cores["compute_s"] == pytest.approx(computed_s, rel=0.1, abs=0.15 * ranks)
    assert not {"thread-imbalance", "load-imbalance"} & {found["rule"] for found in page["findings"]}
