"""Placements used by real launchers: every MPI, on the hosts of a testbed with two cards each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from testbed.conftest import find_or_skip

from clearway.cluster import Card, Cluster, Host, Network
from clearway.cluster.forms.command import as_placed, program_of
from clearway.cluster.forms.registry import FORMS
from clearway.cluster.placement import Placement
from clearway.cluster.topology import cores_of_node
from clearway.testbed import MPI_NAMES, Mpi, Testbed, privilege
from clearway.testbed.job import Ended, run_job
from clearway.testbed.layout import HEAD

FORM_OF = dict(zip(MPI_NAMES, ("openmpi4", "mpich", "openmpi5", "mpich", "intel"), strict=True))


@pytest.fixture
def privileged() -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])


@pytest.fixture(params=MPI_NAMES)
def each_mpi(request: pytest.FixtureRequest) -> Mpi:
    return find_or_skip(request.param)


def cluster_of(testbed: Testbed) -> Cluster:
    """The testbed as a cluster. Cores are listed from the last on, so that a rank that is not told gets another one."""
    cpus = sorted(os.sched_getaffinity(0), reverse=True)[:2]
    networks = [Network(network.device, network.rate_bps, subnet=network.subnet) for network in testbed.layout.networks]
    hosts = [
        Host(
            host.name,
            cores_of_node([cpus], 0, 0),
            tuple(
                Card(n.device, n.device, testbed.layout.host_name(n, host), n.address(host))
                for n in testbed.layout.networks
            ),
        )
        for host in testbed.layout.hosts
    ]
    return Cluster(tuple(hosts), tuple(networks))


def run_placed(
    testbed: Testbed, mpi: Mpi, placement: Placement, form: str, program: Sequence[str], directory: Path
) -> Ended:
    """The job as a user would type it, with the form's words in place of what the testbed says of hosts and cards."""
    line, environment = testbed.command(mpi, program, device=testbed.layout.network.device)
    on_head = len(testbed.on_host(HEAD, []))
    entry = FORMS[form]
    made = entry.make(placement, str(directory), program_of(entry, line[on_head:], environment))
    write(directory, made.files)
    placed = as_placed(made, entry, line[on_head:], environment, placement.binds)
    return run_job([*line[:on_head], *placed], without_binding(environment), 60, False, testbed.kill_all)


def without_binding(environment: Mapping[str, str]) -> dict[str, str]:
    """The testbed tells Intel MPI not to pin, and how many ranks a host has; here the placement does."""
    return {name: value for name, value in environment.items() if name not in ("I_MPI_PIN", "I_MPI_PERHOST")}


def write(directory: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (directory / name).write_text(text)


def seats(stdout: str) -> list[tuple[int, str, tuple[int, ...]]]:
    """What each rank said of its place (seat.c, charm_seat.py), by rank."""
    words = [line.split()[1:] for line in stdout.splitlines() if line.startswith("seat ")]
    return sorted((int(rank), host, tuple(int(cpu) for cpu in cpus.split(","))) for rank, host, cpus in words)
