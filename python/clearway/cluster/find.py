"""The cluster that a command is about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from clearway.cluster.batch import find_allocation
from clearway.cluster.discover import discover
from clearway.cluster.files.machine_file import read_machine_file
from clearway.cluster.files.read import read_cluster
from clearway.cluster.model import Cluster
from clearway.cluster.restrict import restrict


def find_cluster(file: Path | None, host_file: Path | None, environment: Mapping[str, str]) -> Cluster:
    """That of `file`, as far as a host file or the batch system gives it; else what these tell; else this machine.

    Raises ClearwayError where they contradict each other.
    """
    cluster = read_cluster(file) if file else None
    allocation = find_allocation(environment)
    if host_file:
        hosts, source = read_machine_file(host_file), str(host_file)
    elif allocation is not None:
        hosts, source = allocation.hosts, allocation.source
    else:
        return cluster or discover([], environment)
    return restrict(cluster, hosts, source) if cluster else Cluster(hosts)
