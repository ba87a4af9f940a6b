"""What people write in batch scripts, under the plugin: they say, leave and end with what they do without it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from every_job.cluster import Cluster
from every_job.test_harmless import ALONE
from harness.programs import ProgramBuilder
from slurm.users_scripts import NAMES, RUNS, SCRIPTS, needs, outcomes, with_engine


@pytest.fixture(scope="module")
def place(cluster: Cluster, programs: ProgramBuilder) -> Path:
    return with_engine(cluster.home, programs, cluster.home / "users-scripts")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_script_does_what_it_does_without(cluster: Cluster, place: Path, name: str) -> None:
    needs(name)
    text, before = (SCRIPTS / name).read_text(), cluster.runs()
    do = partial(cluster.run, SLURM_MPI_TYPE="pmix")  # scripts that name none are for a cluster whose default it is
    ended = outcomes(do, place, name, {"recorded": (text, ""), "plain": (text, ALONE)})
    assert ended["recorded"] == ended["plain"]
    assert [cluster.spool(host) for host in ("node1", "node2")] == [[], []]
    assert len(cluster.runs()) - len(before) == RUNS.get(name, 1)
