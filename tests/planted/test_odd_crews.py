"""Hybrid programs for which nothing was planned: they compute what they do without us, and the ledger adds up.

Teams of another size each time, regions begun by several threads at once, threads that each call MPI, OpenMP's target
on the host, a program that binds itself half way, and thousands of threads one after another; TBB and C++'s parallel
algorithms, Fortran, threads that hwloc binds, that compute on after MPI_Finalize, that fork; and Python's.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

pytestmark = pytest.mark.timed  # what else runs takes cores from one thread more than from another

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
    check_alike(open_mpi, words, ranks, folder, THREADS[kind])


def check_alike(mpi: Mpi, words: Sequence[str], ranks: int, folder: Path, threads: int) -> None:
    """The job prints what it does without us; its ledger adds up, and has the processor time that it measured."""
    environment = {"TRUTH": str(folder / "truth"), "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}
    bare = run_job(mpi, words, ranks, None, environment=environment)
    outcome = run_job(mpi, words, ranks, folder / "run", environment=environment)
    assert outcome.exit_code == 0, outcome.says
    assert sorted(outcome.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    page, truth = load_page(folder / "run"), load_facts(folder / "truth")
    cores = page["cores"]
    assert cores["most_threads"] == threads
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    computed_s = sum(facts["cpu_s"] for facts in truth.values())
    assert cores["compute_s"] == pytest.approx(computed_s, rel=0.1, abs=0.15 * ranks)
    assert not {"thread-imbalance", "load-imbalance"} & {found["rule"] for found in page["findings"]}


@pytest.mark.parametrize("kind", ["tbb", "execution"])
def test_threading_building_blocks(kind: str, debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    if not Path("/usr/include/tbb").is_dir():
        pytest.skip("needs libtbb-dev")
    program = programs.build(debian_mpi, "task-pool", "task_pool.cpp", flags=("-Wl,--no-as-needed", "-ltbb"))
    check_alike(debian_mpi, [str(program), kind, str(STEPS), str(STEP_S)], 1, tmp_path, 2)


def test_openmp_in_fortran(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "teams-fortran", "teams.F90", flags=("-fopenmp",))
    check_alike(debian_mpi, [str(program), str(2 * STEPS), str(2 * STEP_S)], 1, tmp_path, 2)
    page = load_page(tmp_path / "run")
    assert page["cores"]["told_by"] == "OpenMP runtime"
    assert "serial-section" in {found["rule"] for found in page["findings"]}


@pytest.mark.parametrize("kind", ["outlives", "forks", "hwloc"])
def test_threads_gone_astray(kind: str, debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    if not Path("/usr/include/hwloc.h").is_file():
        pytest.skip("needs libhwloc-dev")
    program = programs.build(debian_mpi, "stray", "stray_threads.c", flags=("-Wl,--no-as-needed", "-lhwloc"))
    words = [str(program), kind, str(STEPS), str(STEP_S)]
    check_alike(debian_mpi, words, 1, tmp_path, 3 if kind == "hwloc" else 2)
    if kind == "hwloc":
        masks = [thread["cpus"] for thread in load_page(tmp_path / "run")["cores"]["ranks"][0]["threads"]]
        assert {"0", "1"} <= set(masks)


# Python's own threads; numpy lets go of the interpreter while it computes.
PYTHON = """
import json, resource, sys, threading
import numpy
def work(number):
    numbers = numpy.random.default_rng(number).standard_normal(400_000)
    for _ in range(int(sys.argv[1])):
        numbers = numpy.sin(numbers)
    digests[number] = float(numbers.sum())
digests = [0.0, 0.0]
threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"digests": digests, "cpu_s": used.ru_utime + used.ru_stime}))
"""


def test_threads_of_python(open_mpi: Mpi, tmp_path: Path) -> None:
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode != 0:
        pytest.skip("needs numpy")
    words = [sys.executable, "-c", PYTHON, "150"]
    environment = {"OPENBLAS_NUM_THREADS": "1"}
    bare = run_job(open_mpi, words, 1, None, environment=environment)
    outcome = run_job(open_mpi, words, 1, tmp_path / "run", ["--always"], environment)
    assert outcome.exit_code == 0, outcome.says
    told = json.loads(outcome.stdout)
    assert told["digests"] == json.loads(bare.stdout)["digests"]
    cores = load_page(tmp_path / "run")["cores"]
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert cores["compute_s"] == pytest.approx(told["cpu_s"], rel=0.1, abs=0.3)
