"""Open MPI's rules between hosts, where in Open MPI 5 another component stands before the one that reads them.

Around a ring each rank sends to the next one only; in all other ways of an allgather rank 0 sends to rank 2 as well,
and the bytes of their connection tell.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder
from testbed.conftest import HARNESS_NAMES, find_or_skip
from tune.made_sweeps import KIB, algorithm, sweep_file

from clearway.diagnosis.facts import open_case
from clearway.run import load
from clearway.testbed import DEEP, Shape, Testbed
from clearway.tune.files import write_files

pytestmark = pytest.mark.usefixtures("privileged")

HOSTS, CALLS, BLOCK = 4, 20, 16 * KIB


def files_for_a_ring(directory: Path, version: str) -> dict[str, str]:
    told = {"operation": "allgather", "ranks": HOSTS, "hosts": HOSTS, "mpi": f"Open MPI v{version}"}
    own = sweep_file(directory / "own.json", {16: 10.0}, **told)
    ring = sweep_file(directory / "ring.json", {16: 1.0}, algorithm("4", "allgather"), **told)
    write_files([own, ring], str(directory / "files"))
    lines = (directory / "files/tuning.sh").read_text().splitlines()
    return dict(shlex.split(line)[1].split("=", 1) for line in lines if line.startswith("export "))


@pytest.mark.parametrize(("name", "version"), [("openmpi", "4.1.4"), ("openmpi5", "5.0.11")])
def test_an_allgather_between_hosts_goes_by_the_file(
    name: str, version: str, programs: ProgramBuilder, tmp_path: Path
) -> None:
    chosen = find_or_skip(name)
    program = programs.build(mpi(HARNESS_NAMES[name]), "collective_loop", "collective_loop.c")
    settings = files_for_a_ring(tmp_path, version)
    across = {}
    with Testbed(Shape(hosts=HOSTS, rate_bps=100_000_000, buffer_bytes=DEEP)) as testbed:
        for way, env in (("own", {}), ("files", settings)):
            words = [clearway_tool("clearway-record"), "-o", tmp_path / way, "--", program, "allgather", BLOCK, CALLS]
            outcome = testbed.run(chosen, list(map(str, words)), env=env, timeout_s=40)
            assert outcome.returncode == 0, outcome
            connections = open_case(load(tmp_path / way)).connections
            across[way] = sum(one.sender.bytes_sent for one in connections if (one.from_rank, one.to_rank) == (0, 2))
    assert across["own"] > CALLS * BLOCK
    assert across["files"] < BLOCK
