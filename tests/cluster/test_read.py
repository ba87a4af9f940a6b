"""Reading cores and cards of real machines, and of ones that hwloc makes up."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from cluster.clusters import example

from clearway.base.errors import ClearwayError
from clearway.cluster import Card, Cluster, Core, Host, Network, hwloc, sysfs
from clearway.cluster.cards import this_machine as cards_of_this_machine
from clearway.cluster.discover import discover
from clearway.cluster.files.read import read_cluster
from clearway.cluster.files.write import write_cluster
from clearway.cluster.hosts.ask import clusters_in
from clearway.cluster.hosts.output_lines import encode
from clearway.cluster.this_machine import put_together, this_machine
from clearway.cluster.topology import in_logical_order

needs_hwloc = pytest.mark.skipif(shutil.which("lstopo-no-graphics") is None, reason="hwloc-nox is not installed")


def made_up(description: str) -> tuple[Core, ...]:
    """The cores of a machine that hwloc makes up."""
    command = ["lstopo-no-graphics", "-i", description, "--of", "xml"]
    return hwloc.parse_topology(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@needs_hwloc
def test_hwloc_and_the_kernel_agree_on_this_machine() -> None:
    by_hwloc = hwloc.this_machine()
    assert by_hwloc
    assert {core.cpus for core in by_hwloc} <= {core.cpus for core in sysfs.this_machine()}
    assert {cpu for core in by_hwloc for cpu in core.cpus} >= os.sched_getaffinity(0)


@needs_hwloc
def test_counts_are_as_hwloc_counts() -> None:
    """Hardware threads of a core are neighbours in hwloc's machine, and half the machine apart in ours."""
    cores = made_up("pack:2 numa:2 core:16 pu:2")
    ours = example("modern").hosts[0].cores
    assert [(core.numa, core.socket) for core in cores] == [(core.numa, core.socket) for core in ours]
    assert [core.cpus for core in cores] == [(2 * at, 2 * at + 1) for at in range(64)]


@needs_hwloc
def test_hwlocs_own_numbers() -> None:
    """Firmware that numbers cores in turn over the sockets: what rankfiles count is not what the kernel counts."""
    indexes = ",".join(str(at) for first in range(4) for at in range(first, 16, 4))
    cores = made_up(f"pack:4 numa:1 core:4 pu:1(indexes={indexes})")
    assert [core.cpus[0] for core in in_logical_order(cores)] == [int(at) for at in indexes.split(",")]


@needs_hwloc
def test_a_file_of_hwlocs_beside_the_clusters_own(tmp_path: Path) -> None:
    command = ["lstopo-no-graphics", "-i", "pack:2 core:2 pu:2", "--of", "xml", str(tmp_path / "node.xml")]
    subprocess.run(command, check=True)
    file = tmp_path / "my.toml"
    file.write_text('[[hosts]]\nname = "a,b"\nhwloc = "node.xml"\n')
    assert [host.cores for host in read_cluster(file).hosts] == [made_up("pack:2 core:2 pu:2")] * 2
    (tmp_path / "node.xml").write_text("<topology/>")
    with pytest.raises(ClearwayError, match="lists no cores"):
        read_cluster(file)


def test_hwloc_1() -> None:
    """Sockets instead of packages, within their NUMA node."""

    def node(at: int) -> str:
        core = (
            f'<object type="Core" os_index="{at}" nodeset="{hex(1 << at)}"><object type="PU" os_index="{at}"/></object>'
        )
        return f'<object type="NUMANode" os_index="{at}"><object type="Socket" os_index="{at}">{core}</object></object>'

    cores = hwloc.parse_topology(f'<topology><object type="Machine">{node(1)}{node(0)}</object></topology>')
    assert cores == (Core((0,), 0, 0), Core((1,), 1, 1))


def test_cores_from_sys(tmp_path: Path) -> None:
    """Two sockets, numbered in turn, each with a NUMA node; hyper-threads; one core switched off."""

    def write(path: str, text: str) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{text}\n")

    write("cpu/online", "0-5,8-13")
    for cpu in (*range(6), *range(8, 14)):
        write(f"cpu/cpu{cpu}/topology/thread_siblings_list", f"{cpu % 8},{cpu % 8 + 8}")
        write(f"cpu/cpu{cpu}/topology/physical_package_id", str(cpu % 2))
    for node in range(2):
        write(f"node/node{node}/cpulist", ",".join(str(cpu) for cpu in range(node, 16, 2)))
    cores = sysfs.this_machine(tmp_path)
    assert [core.cpus for core in cores] == [(0, 8), (2, 10), (4, 12), (1, 9), (3, 11), (5, 13)]
    assert [(core.numa, core.socket) for core in cores] == [(0, 0)] * 3 + [(1, 1)] * 3


def test_this_machine_as_a_cluster() -> None:
    cluster = this_machine()
    assert [host.name for host in cluster.hosts] == [socket.gethostname()]
    assert cluster.hosts[0].cores
    assert [card for card, _ in cards_of_this_machine()] == list(cluster.hosts[0].cards)
    assert all(card.address and not card.address.startswith("127.") for card in cluster.hosts[0].cards)


def test_what_is_told_survives_a_launcher() -> None:
    """Lines of ranks are mixed and marked, one is cut short, and two ranks of a host have not seen the same."""
    cores = example("modern").hosts[0].cores
    tellers = [("a", ()), ("a", cores), ("b", cores), ("c", cores)]
    told = [line for name, seen in tellers for line in encode(write_cluster(Cluster((Host(name, seen),))))]
    told[-1] = told[-1][:-3]
    output = "\n".join(f"[1,0]<stdout>:{line}" for line in reversed(told))
    found = put_together(clusters_in(output))
    assert [(host.name, host.cores) for host in found.hosts] == [("a", cores), ("b", cores)]


def test_networks_that_join_nothing_are_left_out() -> None:
    """Both hosts have a bridge for containers with one and the same address, and one has a card of its own."""

    def one(name: str, address: str, *more: Card) -> Cluster:
        cards = (
            Card("10.0.0.0/24", f"eth-{name}", None, address),
            Card("172.17.0.0/16", "docker0", None, "172.17.0.1"),
        )
        networks = [Network(card.network, 10**9 if name == "a" else 10**8) for card in (*cards, *more)]
        return Cluster((Host(name, (), (*cards, *more)),), tuple(networks))

    joined = put_together([one("a", "10.0.0.1"), one("b", "10.0.0.2", Card("10.9.0.0/24", "usb0", None, "10.9.0.1"))])
    assert [(network.name, network.rate_bps) for network in joined.networks] == [("eth-a", 10**8)], "the slower counts"
    assert [[card.network for card in host.cards] for host in joined.hosts] == [["eth-a"], ["eth-a"]]


def test_a_launcher_that_fails_is_told() -> None:
    with pytest.raises(ClearwayError, match="ended with exit code 1") as caught:
        discover(["false"], os.environ)
    assert caught.value.hint == "see whether it reaches the hosts: false hostname"
