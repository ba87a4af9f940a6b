"""Threads that are organised otherwise than in one team a region: the ledger has what the kernel counted of them.

Regions inside regions, tasks, a runtime that is part of the program's own file, a pool of POSIX threads, and threads
that live for one step.
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

LINES = ("compute_s", "core_wait_s", "team_wait_s", "serial_s", "elsewhere_s", "beside_s", "mpi_threads_s", "unused_s")
STEPS, STEP_S = 25, 0.03


def static_runtime() -> Sequence[str]:
    """GCC's OpenMP as a part of the program: nobody can stand in for its entry points."""
    told = subprocess.run(["cc", "-print-file-name=libgomp.a"], capture_output=True, text=True, check=True, timeout=10)
    if not Path(told.stdout.strip()).is_absolute():
        pytest.skip("no static libgomp")
    archive = ("-Wl,--whole-archive", told.stdout.strip(), "-Wl,--no-whole-archive")
    return ("-fopenmp", "-nodefaultlibs", *archive, "-lc", "-lgcc")


@pytest.mark.timed
@pytest.mark.parametrize("kind", ["nested", "tasks", "static", "pool", "churn"])
def test_the_lines_add_up_to_what_the_kernel_counted(
    kind: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    flags = static_runtime() if kind == "static" else ("-fopenmp",)
    program = programs.build(open_mpi, f"crews-{kind == 'static'}", "crews.c", flags=flags)
    words = [str(program), "teams" if kind == "static" else kind, str(STEPS), str(STEP_S)]
    environment = {"TRUTH": str(tmp_path / "truth"), "OMP_WAIT_POLICY": "passive", "OMP_MAX_ACTIVE_LEVELS": "2"}
    bare = run_job(open_mpi, words, 1, None, environment=environment)
    outcome = run_job(open_mpi, words, 1, tmp_path / "run", environment=environment)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout == bare.stdout
    page, truth = load_page(tmp_path / "run"), load_facts(tmp_path / "truth")[0]
    cores = page["cores"]
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert abs(cores["residue_s"]) < 0.02 * cores["given_s"]
    assert cores["compute_s"] == pytest.approx(truth["cpu_s"], rel=0.1, abs=0.15)


# As two ranks that a launcher starts and that know nothing of MPI: each says what it computed, and its CPU time.
PRODUCTS = """
import hashlib, json, resource, sys
import numpy
numbers = numpy.random.default_rng(1).standard_normal((900, 900))
for _ in range(int(sys.argv[1])):
    numbers = numbers @ numbers
    numbers /= numpy.abs(numbers).max()
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"digest": hashlib.sha256(numbers.tobytes()).hexdigest(), "cpu_s": used.ru_utime + used.ru_stime}))
"""


@pytest.mark.timed
def test_threads_of_openblas_inside_ranks(open_mpi: Mpi, tmp_path: Path) -> None:
    words = [sys.executable, "-c", PRODUCTS, "40"]
    environment = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    bare = run_job(open_mpi, words, 2, None, environment=environment)
    outcome = run_job(open_mpi, words, 2, tmp_path / "run", ["--always"], environment)
    assert outcome.exit_code == 0, outcome.says
    told = [json.loads(line) for line in outcome.stdout.splitlines()]
    digests = {each["digest"] for each in [*told, *map(json.loads, bare.stdout.splitlines())]}
    assert len(digests) == 1
    cores = load_page(tmp_path / "run")["cores"]
    assert cores["most_threads"] == 2
    assert sum(cores[name] for name in (*LINES, "residue_s")) == pytest.approx(cores["given_s"])
    assert cores["compute_s"] == pytest.approx(sum(each["cpu_s"] for each in told), rel=0.1, abs=0.3)
