"""Ranks are where the placement says under Slurm, and Slurm's own words for a job's hosts are understood."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cluster.conftest import cluster_of, seats, write

from clearway.cluster.batch import find_allocation, of_het_group
from clearway.cluster.forms.command import as_placed, program_of
from clearway.cluster.forms.registry import FORMS
from clearway.cluster.model import Cluster, Host
from clearway.cluster.placement import Request, place
from clearway.testbed import Shape, Testbed
from clearway.testbed.layout import HEAD

pytestmark = [
    pytest.mark.usefixtures("privileged"),
    pytest.mark.skipif(shutil.which("slurmctld") is None, reason="slurm-wlm is not installed"),
]

SEAT = """
import os, socket
cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
print("seat", os.environ["SLURM_PROCID"], socket.gethostname(), cpus)
"""
REQUESTS = {
    "block": Request(4, per_host=2),
    "cyclic": Request(4, per_host=2, order="cyclic"),
    "one core of two": Request(3, per_host=1),
    "two cores each": Request(3, threads=2),
}
TOLD = ("SLURM_JOB_NODELIST", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE")


def test_ranks_and_hosts(tmp_path: Path) -> None:
    with Testbed(Shape(hosts=3, slurm=True)) as testbed:
        environment = {**os.environ, "SLURM_CONF": ""}  # which is the testbed's own on its hosts

        def output_of(*command: str, asked: tuple[str, ...] = ("-N3", "--exclusive")) -> str:
            line = testbed.on_host(HEAD, ["salloc", "-Q", *asked, *command])
            answer = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=30)
            assert answer.returncode == 0, answer
            return answer.stdout

        for name, asked in REQUESTS.items():
            placement = place(cluster_of(testbed), asked)
            entry, typed = FORMS["slurm"], ["srun", sys.executable, "-c", SEAT]
            made = entry.make(placement, str(tmp_path), program_of(entry, typed, environment))
            write(tmp_path, made.files)
            said = output_of(*as_placed(made, entry, typed, environment))
            assert seats(said) == [(seat.rank, seat.host.name, tuple(sorted(seat.cpus))) for seat in placement.seats], (
                name
            )

        hosts = tuple(Host(name, slots=1) for name in ("node1", "node2"))  # as the allocation tells, without cores
        for words in ([], ["-c1"]):  # which is replaced
            made = FORMS["slurm"].make(place(Cluster(hosts), Request(2, threads=2)), str(tmp_path), [])
            write(tmp_path, made.files)
            typed = ["srun", *words, sys.executable, "-c", SEAT]
            said = output_of(*as_placed(made, FORMS["slurm"], typed, environment))
            assert [(host, len(cpus)) for _, host, cpus in seats(said)] == [("node1", 2), ("node2", 2)]

        told = [line.partition("=") for line in output_of("env").splitlines()]
        groups = ("-N1", "-n1", "-c2", ":", "-N2", "-n2")
        of_groups = dict(line.split("=", 1) for line in output_of("env", asked=groups).splitlines() if "=" in line)
        allocation = find_allocation({name: value for name, _, value in told if name in TOLD})
    assert allocation is not None
    assert [(host.name, host.slots) for host in allocation.hosts] == [(f"node{at}", os.cpu_count()) for at in (1, 2, 3)]
    for group, hosts in (("0", [("node1", 1)]), ("1", [("node2", 1), ("node3", 1)])):
        of_it = find_allocation(of_het_group(of_groups, group))
        assert of_it is not None
        assert [(host.name, host.slots) for host in of_it.hosts] == hosts
