"""`--exclusive` is proved: the same job without another user's job on its node.

All hosts of a testbed are one machine, where a job that leaves a node takes the load along: its neighbour there then
uses the same processors from the other side. Here each host has a processor of its own, as those of a cluster have.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person, person_on, slurm_testbed
from slurm.test_faults import job_of_another
from slurm.test_fix import is_proved, nodes_are, proof

from clearway.testbed import Shape, Testbed
from clearway.testbed.processors import GROUPS

SCRIPT = """#!/bin/bash
#SBATCH --nodes=1 --ntasks=1 --mem=200M
#SBATCH --time=5
srun --mpi=pmix --cpu-bind=none {program} 0.02 50
"""
COST = re.compile(r"Other programs run on the ranks' cores ([\d.]+) % · ([\d.]+) s ")
PROMISE = re.compile(r"ask for whole nodes, which no other job may use meanwhile, should give back ([\d.]+) s:")


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """More processors a node than there are, so that Slurm binds nothing: it would not find those that a host has."""
    with slurm_testbed(Shape(hosts=2, slurm=True, host_cpus=2 * (os.cpu_count() or 1))) as testbed:
        divide_processors(testbed)
        yield person_on(testbed, tmp_path)


def divide_processors(testbed: Testbed) -> None:
    there = sorted(os.sched_getaffinity(0))
    hosts = testbed.layout.hosts
    if len(there) < len(hosts):
        pytest.skip("this machine has fewer than two processors")
    for host, processor in zip(hosts, there, strict=False):
        processors = GROUPS / "cpuset" / testbed.layout.namespace(host.name) / "cpuset.cpus"
        if not processors.exists():
            pytest.skip("no control groups of version 1")
        processors.write_text(str(processor))


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.timeout(500)
def test_a_node_of_its_own_is_faster_than_one_with_anothers_job(person: Person, programs: ProgramBuilder) -> None:
    """The job comes to node1 as long as that may be shared. Two tasks beside its rank there: a third of a processor."""
    program = person.brings(programs.build(mpi("openmpi-debian"), "crowded", "crowded.c"))
    script = person.home / "shared.sh"
    script.write_text(SCRIPT.format(program=program))
    with nodes_are(person, {"node2": "Weight=9"}), job_of_another(person, "node1") as other:
        rows, said = proof(person, person.home / "fix", script.name, "--remedy", "whole-nodes")
    text, row = " ".join(said.split()), rows["whole-nodes"]
    assert f"job {other} ran beside this one" in text, said
    assert is_proved(row), said
    cost, promise = COST.search(text), PROMISE.search(text)
    assert cost is not None and promise is not None, said
    promised = float(promise[1]) * float(cost[1]) / 100 / float(cost[2])  # of the wall-clock, as the cost is
    assert 0.1 < promised < 1 - row["ratio_low"], f"{promised:.2f} are promised\n{said}"
    assert "#SBATCH --exclusive" in script.read_text(), said
