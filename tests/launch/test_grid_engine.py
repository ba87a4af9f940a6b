"""Under Grid Engine: mpirun starts ranks on the other hosts by `qrsh -inherit`, and they are recorded there, too; the
page says of the job what qstat says."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.grid_engine import GridEngine, grid_engine
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder

from clearway.diagnosis.facts import open_case
from clearway.run import load
from clearway.testbed import Shape

LATE = Path(__file__).parents[1] / "every_job" / "late.c"
SCRIPT = """#!/bin/bash
#$ -cwd -j y -o said.txt
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
{bin}/clearway run -q -o run-%j -- mpirun -np $NSLOTS {program}
mpirun -np $NSLOTS {bin}/clearway-record -o $PWD/own-%j {program}
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    if mpi("openmpi-debian").missing:
        pytest.skip(mpi("openmpi-debian").missing)
    with grid_engine(Shape(hosts=2), tmp_path_factory.mktemp("grid-engine"), slots_per_host=2) as made:
        yield made


@pytest.fixture
def script(engine: GridEngine, programs: ProgramBuilder) -> str:
    program = programs.build(mpi("openmpi-debian"), "late", str(LATE))
    return SCRIPT.format(bin=clearway_tool("clearway-record").parent, program=program)


def said_of(described: str, what: str) -> str:
    """A line of `qstat -j`."""
    found = re.search(rf"^{re.escape(what)}: +(.*)$", described, re.MULTILINE)
    assert found is not None, described
    return found[1].strip()


@pytest.mark.slow
def test_a_parallel_job_is_recorded_on_all_hosts_and_told_as_qstat_tells_it(engine: GridEngine, script: str) -> None:
    number, described = engine.submit(script, "-pe", "mpi", "4", "-N", "md-prod")
    assert (engine.home / "said.txt").read_text().count("4 ranks") == 2, engine.logs()
    for directory in (engine.home / f"run-{number}", engine.home / f"own-{number}"):
        run = load(directory)
        assert sorted(run.host_names) == ["node1", "node2"]
        assert sorted(run.processes["rank"].tolist()) == [0, 1, 2, 3]
        job = open_case(run).tables.job.batch
        assert job is not None
        assert (job.system, job.tried, job.id) == ("Grid Engine", True, said_of(described, "job_number"))
        assert (job.name, job.account) == (said_of(described, "job_name"), said_of(described, "account"))
        assert said_of(described, "parallel environment") == f"mpi range: {job.tasks}"
        assert (job.partition, job.nodes, job.restarts, job.array_task) == ("all.q", 2, 0, "")
    page = subprocess.run(
        [clearway_tool("clearway"), "report", engine.home / f"run-{number}"], capture_output=True, text=True, timeout=60
    )
    assert f"late · job {number} (md-prod) · 2 nodes × 2 tasks  " in page.stdout, page
    assert "queue all.q · account sge" in page.stdout


@pytest.mark.slow
def test_each_task_of_an_array_is_a_run(engine: GridEngine, script: str) -> None:
    number, described = engine.submit(script, "-pe", "mpi", "4", "-t", "3-5:2")
    assert said_of(described, "job-array tasks") == "3-5:2"
    for name in (f"{kind}-{number}.{task}" for kind in ("run", "own") for task in (3, 5)):
        run = load(engine.home / name)
        job = open_case(run).tables.job.batch
        assert job is not None
        assert (job.id, job.nodes, job.tasks) == (name.partition("-")[2], 2, 4)
        assert job.array_task == name[-1]
        assert sorted(run.processes["rank"].tolist()) == [0, 1, 2, 3]
