"""A Cluster and a Request make a Placement."""

from __future__ import annotations

from clearway.cluster.model import Cluster
from clearway.cluster.placement.cores import assign_cores
from clearway.cluster.placement.dealing import in_turns
from clearway.cluster.placement.model import Placement, Request, Seat
from clearway.cluster.placement.networks import choose_network, joining
from clearway.cluster.placement.shares import share_out


def place(cluster: Cluster, request: Request) -> Placement:
    """Raises ClearwayError where the request cannot be met."""
    network = choose_network(cluster, cluster.hosts, request.network)
    shares = share_out(cluster.hosts, network, request)
    rows = [(host, cpus) for host, count in shares for cpus in assign_cores(host, count, request)]
    if request.order == "cyclic":
        rows = in_turns(rows, lambda row: row[0].name)
    seats = tuple(Seat(rank, host, cpus) for rank, (host, cpus) in enumerate(rows))
    hosts = [host for host, _ in shares]
    return Placement(seats, network, choice=len(joining(cluster, hosts)) > 1, threads=request.threads)
