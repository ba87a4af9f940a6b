"""Ranks that connect to an address which every host has."""

from __future__ import annotations

from pathlib import Path

from python.made_runs import Machine, Rank, SegmentKind, State
from python.test_waits_for import inside
from rules.host_jobs import MadeHost, case_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.run.layout import Awaits

DOCKER = "172.17.0.1"


def host(number: int) -> MadeHost:
    facts = {
        "host.cores": "4",
        "net.lo.addresses": "127.0.0.1",
        "net.docker0.addresses": DOCKER,
        "net.docker0.networks": "172.17.0.0/16",
        "net.eth0.addresses": f"10.0.0.{number}",
        "net.eth0.networks": "10.0.0.0/24",
    }
    return MadeHost(f"node{number}", facts=facts)


def connected(rank: Rank, address: str, peer: str, ports: tuple[int, int], **moved: int) -> None:
    ends = [bytes(map(int, each.split("."))) + bytes(12) for each in (address, peer)]
    rank.add(
        SegmentKind.SOCKETS,
        family=2,
        local_address=ends[0],
        local_port=ports[0],
        peer_address=ends[1],
        peer_port=ports[1],
        **moved,
    )


def astray(directory: Path, costs: bool, address: str = DOCKER, sent: int = 24) -> Case:
    """Each of two ranks, one a host, is connected to itself, and in MPI_Recv to the end; or goes on after a moment."""
    hosts = [host(1), host(2)]
    world = [Rank(number, 2, machine=Machine(each.name)) for number, each in enumerate(hosts)]
    for rank, each in zip(world, hosts, strict=True):
        rank.machine = each.machine
        connected(rank, address, address, (50000, 1024), bytes_sent=sent)
        connected(rank, address, address, (1024, 50000), bytes_received=sent)
        if costs:
            rank.state = State.RUNNING
            inside(rank, "MPI_Recv", 1.0, peer=1 - rank.rank, tag=7, awaits=Awaits.MESSAGE)
    return case_of(world, directory, *hosts)


def found(case: Case) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == "wrong-interface"), None)


def test_an_address_that_every_host_has(tmp_path: Path) -> None:
    said = found(astray(tmp_path, True))
    assert said is not None
    assert said.title == "Messages for other hosts use docker0, which leads to no other host"
    assert "2 of 2 ranks connected to 172.17.0.1, which is the address of docker0 on 2 hosts" in said.says
    assert said.cost_s > 8


def test_localhost(tmp_path: Path) -> None:
    said = found(astray(tmp_path, True, "127.0.0.1"))
    assert said is not None
    assert "use lo" in said.title


def test_an_address_of_one_host_or_a_way_that_works_is_none(tmp_path: Path) -> None:
    assert found(astray(tmp_path / "own", True, "10.0.0.1")) is None
    assert found(astray(tmp_path / "works", True, sent=10_000_000)) is None
