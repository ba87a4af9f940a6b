"""Kutzner et al. 2007, Fig. 9, in small: packets are lost inside a switch whose parts are full.

An ordered all-to-all loses none where the same number of hosts is spread over the ports.

Twelve hosts at 20 Mbit/s; parts of four ports, joined by 65 Mbit/s: three hosts fit into a link, four do not.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from cluster.conftest import run_placed
from harness.mpis import clearway_tool
from testbed.conftest import find_or_skip

from clearway.bench.program import find_flow_library
from clearway.cluster import Card, Cluster, Host, Network, SubSwitch, Switch
from clearway.cluster.placement import Request, place
from clearway.cluster.placement.ports import hosts_on_parts
from clearway.testbed import Counters, Shape, Testbed

pytestmark = [pytest.mark.usefixtures("privileged"), pytest.mark.slow]

UPLINK_BPS = 65_000_000
BLOCK_BYTES = 64_000


def cluster_of_parts(testbed: Testbed) -> Cluster:
    """One core for each host is not said: here all of them share two."""
    parts = tuple(SubSwitch(tuple(range(4 * part + 1, 4 * part + 5)), UPLINK_BPS) for part in range(4))
    network = Network("eth0", testbed.shape.rate_bps, switch=Switch(16, sub_switches=parts))
    hosts = tuple(
        Host(host.name, cards=(Card("eth0", "eth0", port=host.number),), slots=1) for host in testbed.layout.hosts
    )
    return Cluster(hosts, (network,))


def counted(testbed: Testbed, cluster: Cluster, directory: Path) -> tuple[list[int], Counters]:
    """Hosts on the parts of the switch, and what the network lost."""
    placement = place(cluster, Request(12))
    bench = clearway_tool("clearway-bench")
    words = ["alltoall", "--sizes", str(BLOCK_BYTES), "--calls", "4", "--candidate", "ordered+barrier,chunk:8000"]
    library = find_flow_library(bench)
    assert library is not None
    mpi = find_or_skip("openmpi")
    mpi_library = "/usr/lib/x86_64-linux-gnu/libmpi.so.40"
    before = testbed.counters()
    ended = run_placed(
        testbed,
        mpi,
        placement,
        "openmpi4",
        [str(bench), *words, "--mpi-library", mpi_library, "--flow-library", str(library)],
        directory,
    )
    assert ended.returncode == 0, ended
    return list(hosts_on_parts(placement.hosts, placement.network).values()), testbed.counters().since(before)


def test_spread_ports_lose_nothing(tmp_path: Path) -> None:
    with Testbed(Shape(hosts=16, buffer_bytes=20_000, switches=4, uplink_bps=UPLINK_BPS)) as testbed:
        cluster = cluster_of_parts(testbed)
        row = counted(testbed, replace(cluster, hosts=cluster.hosts[:12]), tmp_path)
        spread = counted(testbed, cluster, tmp_path)
    assert (row[0], spread[0]) == ([4, 4, 4], [3, 3, 3, 3])
    assert row[1].drops > 100, row
    assert spread[1].drops < row[1].drops / 20, (row, spread)
