"""What every placement keeps to, for clusters and requests of all kinds; and placements that papers and mails tell."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from cluster.clusters import any_cluster, example, patient
from hypothesis import assume, given
from hypothesis import strategies as st

from clearway.base.errors import ClearwayError
from clearway.cluster import Card, Cluster, Host, Network, SubSwitch, Switch
from clearway.cluster.placement import Placement, Request, place
from clearway.cluster.placement.ports import busiest_link, hosts_on_parts, safe_ports, spread_ports
from clearway.cluster.placement.reasons import sentences

requests = st.builds(
    Request,
    ranks=st.none() | st.integers(1, 40),
    per_host=st.none() | st.integers(1, 6),
    threads=st.integers(1, 4),
    most_per_sub_switch=st.none() | st.integers(1, 5),
    spread=st.booleans(),
    order=st.sampled_from(["block", "cyclic"]),
    hyper_threads=st.booleans(),
)


def placed(cluster: Cluster, asked: Request) -> Placement:
    try:
        return place(cluster, asked)
    except ClearwayError as error:
        assert error.hint
        assume(False)
        raise


@patient
@given(any_cluster(), requests)
def test_every_rank_has_one_place_of_its_own(cluster: Cluster, asked: Request) -> None:
    placement = placed(cluster, asked)
    ranks = len(placement.seats)
    assert [seat.rank for seat in placement.seats] == list(range(ranks))
    assert asked.ranks in (None, ranks)
    taken = [(seat.host.name, cpu) for seat in placement.seats for cpu in seat.cpus]
    assert len(set(taken)) == len(taken), "no hardware thread twice"
    for seat in placement.seats:
        there = {cpu: core for core in seat.host.cores for cpu in core.cpus}
        assert set(seat.cpus) <= set(there)
        if not asked.hyper_threads:
            cores = {there[cpu] for cpu in seat.cpus}
            assert len(cores) == asked.threads
            assert set(seat.cpus) == {cpu for core in cores for cpu in core.cpus}, "whole cores"
    assert sentences(cluster, asked, placement)


@patient
@given(any_cluster(), requests)
def test_limits_are_kept(cluster: Cluster, asked: Request) -> None:
    placement = placed(cluster, asked)
    for host in placement.hosts:
        count = len(placement.by_host[host.name])
        assert count <= min(asked.per_host or count, host.slots or count)
    if asked.most_per_sub_switch is not None:
        network = placement.network
        assert all(count <= asked.most_per_sub_switch for count in hosts_on_parts(placement.hosts, network).values())


def counts_of_hosts(sizes: list[int], hosts: int) -> list[tuple[int, ...]]:
    """All ways to take so many hosts from parts of these sizes."""
    return [counts for counts in product(*(range(size + 1) for size in sizes)) if sum(counts) == hosts]


@patient
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.data())
def test_no_choice_of_hosts_has_a_less_busy_link(sizes: list[int], data: st.DataObject) -> None:
    hosts = data.draw(st.integers(1, sum(sizes)))
    first = [1 + sum(sizes[:part]) for part in range(len(sizes))]
    parts = tuple(SubSwitch(tuple(range(at, at + size)), 10**9) for at, size in zip(first, sizes, strict=True))
    network = Network("one", 10**9, switch=Switch(sum(sizes), sub_switches=parts))
    ports = data.draw(st.permutations(range(1, sum(sizes) + 1)))
    there = [Host(f"n{port}", slots=1, cards=(Card("one", port=port),)) for port in ports]
    used = place(Cluster(tuple(there), (network,)), Request(hosts)).hosts
    assert len(used) == hosts
    least = min(max(min(count, hosts - count) for count in counts) for counts in counts_of_hosts(sizes, hosts))
    assert busiest_link(used, network)[0] == least


@patient
@given(any_cluster(), st.integers(1, 40))
def test_block_order_keeps_neighbours_together(cluster: Cluster, ranks: int) -> None:
    placement = placed(cluster, Request(ranks))
    names = [seat.host.name for seat in placement.seats]
    assert len([at for at, name in enumerate(names) if at == 0 or names[at - 1] != name]) == len(set(names))
    cyclic = placed(cluster, Request(ranks, order="cyclic"))
    assert sorted((s.host.name, s.cpus) for s in cyclic.seats) == sorted((s.host.name, s.cpus) for s in placement.seats)
    assert len({seat.host.name for seat in cyclic.seats[: len(cyclic.hosts)]}) == len(cyclic.hosts)


def test_the_core_map_of_the_hpc_advisory_council() -> None:
    """Letter by letter what their slides give Platform MPI for a node of 64 cores."""
    placement = place(example("hpc-advisory-council-2012"), Request(64))
    quarter = [list(range(first, 64, 4)) for first in (0, 2, 3, 1)]
    assert [seat.cpus for seat in placement.seats] == [(cpu,) for part in quarter for cpu in part]


def test_the_cables_of_kutzner_et_al() -> None:
    """In ports 1 to 32 twelve nodes share an uplink; spread, at most nine do, which the paper found to be safe."""
    cluster = example("kutzner-2007")
    network = cluster.networks[0]
    assert network.switch is not None
    assert {safe_ports(part, network) for part in network.switch.sub_switches} == {9}
    assert sum(safe_ports(part, network) for part in network.switch.sub_switches) == 36  # of 48: "effectively 36 ports"
    asked = Request(64)
    said = sentences(cluster, asked, place(cluster, asked))
    assert any("12 of 12, 12 of 12, 8 of 12" in each for each in said)
    ports = spread_ports(network.switch, 32)
    assert any("1-8,13-20,25-32,37-44" in each for each in said)
    moved = Cluster(
        tuple(
            replace(h, cards=(replace(h.cards[0], port=port),)) for h, port in zip(cluster.hosts, ports, strict=True)
        ),
        cluster.networks,
    )
    placement = place(moved, Request(64, most_per_sub_switch=9))
    assert hosts_on_parts(placement.hosts, placement.network) == {0: 8, 1: 8, 2: 8, 3: 8}
    assert not any("lost" in each for each in sentences(moved, asked, placement))


def test_too_few_ports_are_refused() -> None:
    with pytest.raises(ClearwayError, match="at most 9 on a sub-switch") as caught:
        place(example("kutzner-2007"), Request(64, most_per_sub_switch=9))
    assert "12+12+8" in caught.value.message


def test_few_nodes_elsewhere_load_a_link_least() -> None:
    """Sixteen of 12 + 12 + 8: 12 and 4, for no more than 4 can then send to the others; twenty: evenly."""
    cluster = example("kutzner-2007")
    assert [sorted(counts(cluster, ranks)) for ranks in (32, 40)] == [[4, 12], [6, 7, 7]]


def counts(cluster: Cluster, ranks: int) -> list[int]:
    placement = place(cluster, Request(ranks))
    return list(hosts_on_parts(placement.hosts, placement.network).values())


def test_what_fits_on_one_part_stays_there() -> None:
    """Then no message passes through the link to the other parts."""
    cluster = example("kutzner-2007")
    placement = place(cluster, Request(24))
    assert [host.name for host in placement.hosts] == [f"node{at:02}" for at in range(1, 13)]
    assert any("one part" in each for each in sentences(cluster, Request(24), placement))
    limited = place(cluster, Request(24, most_per_sub_switch=9))
    assert sorted(hosts_on_parts(limited.hosts, limited.network).values()) == [3, 9]
    assert len(hosts_on_parts(place(cluster, Request(24, spread=True)).hosts, placement.network)) == 3


def test_the_dedicated_network() -> None:
    cluster = example("duke-2004")
    fast = place(cluster, Request(4))
    assert [fast.name_of(seat.host) for seat in fast.seats] == ["tiger_hs", "tiger_hs", "lion_hs", "lion_hs"]
    slow = place(cluster, Request(4, network="eth0"))
    assert {slow.name_of(seat.host) for seat in slow.seats} == {"tiger", "lion"}
    with pytest.raises(ClearwayError, match="no network 'ib0'"):
        place(cluster, Request(4, network="ib0"))


def test_memory_is_near() -> None:
    """Four ranks of eight threads on two sockets of two NUMA nodes: one each; two ranks: on different nodes."""
    cluster = example("modern")
    four = place(cluster, Request(4, threads=8))
    assert [{core.numa for core in four.hosts[0].cores if core.cpus[0] in seat.cpus} for seat in four.seats] == [
        {0}, {1}, {2}, {3}
    ]  # fmt: skip
    many = place(cluster, Request(100, per_host=100, hyper_threads=True))
    assert [seat.cpus[0] for seat in many.seats[:3]] == [0, 1, 2], "first hardware threads come first"
    with pytest.raises(ClearwayError, match="one rank per core") as caught:
        place(Cluster(cluster.hosts[:1], cluster.networks), Request(65))
    assert "--hyper-threads" in (caught.value.hint or "")
