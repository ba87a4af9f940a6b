"""Ranks are where the placement says, and messages go by the card that it says: real launchers, every MPI."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cluster.conftest import FORM_OF, cluster_of, run_placed, seats
from harness.mpis import mpi as harness_mpi
from harness.programs import ProgramBuilder
from testbed.conftest import HARNESS_NAMES, find_or_skip

from clearway.cluster.discover import discover
from clearway.cluster.find import find_cluster
from clearway.cluster.placement import Placement, Request, place
from clearway.testbed import Mpi, Shape, Testbed

pytestmark = pytest.mark.usefixtures("privileged")

BLOCK_BYTES = 100_000
SEAT = str(Path(__file__).with_name("seat.c"))


def expected(placement: Placement) -> list[tuple[int, str, tuple[int, ...]]]:
    return [(seat.rank, seat.host.name, seat.cpus) for seat in placement.seats]


def sent_bytes(testbed: Testbed, device: str) -> int:
    """What left the first two hosts by that card."""
    total = 0
    for host in ("node1", "node2"):
        command = testbed.on_host(host, ["cat", f"/sys/class/net/{device}/statistics/tx_bytes"])
        total += int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return total


@pytest.mark.parametrize("order", ["block", pytest.param("cyclic", marks=pytest.mark.slow)])
def test_ranks_are_where_they_were_placed(each_mpi: Mpi, order: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(harness_mpi(HARNESS_NAMES[each_mpi.name]), "seat", SEAT)
    with Testbed(Shape(hosts=3)) as testbed:
        placement = place(cluster_of(testbed), Request(4, per_host=2, order=order))
        ended = run_placed(testbed, each_mpi, placement, FORM_OF[each_mpi.name], [str(program)], tmp_path)
    assert seats(ended.stdout) == expected(placement), ended


@pytest.mark.parametrize("device", [pytest.param("eth0", marks=pytest.mark.slow), "eth1"])
def test_messages_go_by_the_card(each_mpi: Mpi, device: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(harness_mpi(HARNESS_NAMES[each_mpi.name]), "seat", SEAT)
    with Testbed(Shape(hosts=2, second_card_bps=15_000_000)) as testbed:
        placement = place(cluster_of(testbed), Request(2, per_host=1, network=device))
        before = {name: sent_bytes(testbed, name) for name in ("eth0", "eth1")}
        ended = run_placed(
            testbed, each_mpi, placement, FORM_OF[each_mpi.name], [str(program), str(BLOCK_BYTES)], tmp_path
        )
        sent = {name: sent_bytes(testbed, name) - before[name] for name in before}
    other = {"eth0": "eth1", "eth1": "eth0"}[device]
    assert {placement.name_of(host) for host in placement.hosts} == {
        "eth0": {"node1", "node2"},
        "eth1": {"node1-eth1", "node2-eth1"},
    }[device]
    assert seats(ended.stdout) == expected(placement), ended
    assert sent[device] > 2 * BLOCK_BYTES, sent
    assert sent[other] < BLOCK_BYTES, sent


@pytest.mark.slow
def test_ranks_of_two_cores(each_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(harness_mpi(HARNESS_NAMES[each_mpi.name]), "seat", SEAT)
    with Testbed(Shape(hosts=2)) as testbed:
        placement = place(cluster_of(testbed), Request(2, threads=2))
        ended = run_placed(testbed, each_mpi, placement, FORM_OF[each_mpi.name], [str(program)], tmp_path)
    assert all(len(seat.cpus) == 2 for seat in placement.seats)
    assert seats(ended.stdout) == expected(placement), ended


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_a_pbs_node_file(name: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    """As the Beowulf list had it: two MPIs on the hosts of PBS_NODEFILE, with a rank for each line."""
    chosen = find_or_skip(name)
    program = programs.build(harness_mpi(HARNESS_NAMES[name]), "seat", SEAT)
    nodes = tmp_path / "nodes"
    nodes.write_text("node3\nnode3\nnode1\nnode2\nnode2\n")
    with Testbed(Shape(hosts=3)) as testbed:
        cluster = find_cluster(None, None, {"PBS_NODEFILE": str(nodes)})
        ended = run_placed(testbed, chosen, place(cluster, Request()), FORM_OF[name], [str(program)], tmp_path)
    assert [host for _, host, _ in seats(ended.stdout)] == nodes.read_text().split(), ended


def test_hosts_are_discovered(each_mpi: Mpi) -> None:
    """By the launcher's own command line, each host once, with its cores and both of its cards."""
    with Testbed(Shape(hosts=3, per_host=2, second_card_bps=15_000_000)) as testbed:
        line, environment = testbed.command(each_mpi, ["PROGRAM"])
        found = discover(line[:-1], environment)
        known = cluster_of(testbed)
    assert [host.name for host in found.hosts] == [host.name for host in known.hosts]
    for host in found.hosts:
        there = next(each for each in known.hosts if each.name == host.name)
        assert {core.cpus for core in host.cores} >= {core.cpus for core in there.cores}
        assert [(card.network, card.device, card.address) for card in host.cards] == [
            (card.network, card.device, card.address) for card in there.cards
        ]
        assert [card.host_name for card in host.cards] == [None, f"{host.name}-eth1"]


@pytest.mark.parametrize(
    ("name", "form"), [("mpich", "hydra-hosts"), ("mpich5", "hydra-hosts"), ("impi", "intel-group")]
)
def test_other_words(name: str, form: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    chosen = find_or_skip(name)
    program = programs.build(harness_mpi(HARNESS_NAMES[name]), "seat", SEAT)
    with Testbed(Shape(hosts=3)) as testbed:
        placement = place(cluster_of(testbed), Request(4, per_host=2))
        ended = run_placed(testbed, chosen, placement, form, [str(program)], tmp_path)
    assert seats(ended.stdout) == expected(placement), ended
