"""Faults as pure functions: a healthy host has none, and each planted one is found by its own name, and alone."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import pytest

from clearway.cluster.hosts import faults
from clearway.cluster.hosts.faults import find_faults
from clearway.cluster.hosts.reader import UnreadableError
from clearway.cluster.hosts.settings import find_setting
from clearway.cluster.hosts.settings.ethtool import pairs
from clearway.cluster.hosts.sources.links import fastest
from clearway.cluster.hosts.sources.network import cards_of
from clearway.cluster.hosts.state import Fact, State, Value

CARDS = {
    f"link.{card}.{name}": value
    for card in ("eth0", "eth1")
    for name, value in {
        "address": "10.0.0.1",
        "speed_mbit": 1000,
        "supported_mbit": 1000,
        "partner_mbit": 1000,
        "duplex": "Full",
        "negotiation": "on",
        "can_negotiate": "Yes",
        "pause_rx": "on",
        "pause_tx": "on",
        "offloads_off": "",
        "mtu": 1500,
        "rx_packets": 10_000_000,
        "rx_errors": 0,
        "rx_dropped": 3,
        "tx_packets": 10_000_000,
        "tx_errors": 0,
        "tx_dropped": 0,
        "rto_min_ms": 50,
    }.items()
}
HEALTHY: dict[str, Value | None] = {
    "network.cards": "eth0 eth1",
    "network.name_card": "eth1",
    "network.default_card": "eth0",
    "network.fabrics": "",
    **CARDS,
    "tcp.rmem_max_bytes": 4 << 20,
    "tcp.wmem_max_bytes": 4 << 20,
    "tcp.rmem_most_bytes": 6 << 20,
    "tcp.wmem_most_bytes": 4 << 20,
    "tcp.rto_min_us": 200_000,
    "tcp.congestion_control": "cubic",
    "tcp.available": "reno cubic",
    "tcp.ecn": 2,
    "tcp.slow_start_after_idle": 1,
    "tcp.segments_sent": 10_000_000,
    "tcp.timeouts": 2,
    "tcp.probe_recoveries": 5,
    "memory.shm_bytes": 8 << 30,
    "memory.locked_most_bytes": "unlimited",
    "memory.numa_balancing": 1,
    "processor.threads": 16,
    "processor.numa_nodes": 1,
    "processor.governor": "performance",
    "processor.quota_cores": "all",
    "processor.busy_share": 0.02,
    "processor.steal_share": 0.0,
    "processor.busy_processes": "",
}

PLANTED: list[tuple[str, dict[str, Value | None], str | None]] = [
    ("buffer-ceilings", {"tcp.rmem_max_bytes": 212_992}, "tcp.buffers=1Mi"),
    (
        "buffer-ceilings",
        {"link.eth1.speed_mbit": 40_000, "link.eth1.supported_mbit": 40_000, "link.eth1.partner_mbit": 40_000},
        "tcp.buffers=16Mi",
    ),
    ("long-timeout", {"link.eth0.rto_min_ms": 0}, "tcp.rto_min=50ms --device eth0"),
    ("long-timeout", {"link.eth1.rto_min_ms": 0, "tcp.rto_min_us": None}, "tcp.rto_min=50ms --device eth1"),
    ("congestion-control", {"tcp.congestion_control": "bbr"}, "tcp.congestion_control=cubic"),
    ("congestion-control", {"tcp.congestion_control": "bbr", "tcp.available": "reno bbr"}, None),
    ("dctcp-without-ecn", {"tcp.congestion_control": "dctcp", "tcp.ecn": 0}, "tcp.ecn=on"),
    ("slow-link", {"link.eth0.speed_mbit": 100}, None),
    (
        "slow-link",
        {"link.eth0.speed_mbit": 100, "link.eth0.negotiation": "off"},
        "link.negotiation=on --device eth0",
    ),
    ("half-duplex", {"link.eth1.duplex": "Half"}, "link.negotiation=on --device eth1"),
    ("flow-control-off", {"link.eth0.pause_rx": "off"}, "link.flow_control=on --device eth0"),
    ("link-errors", {"link.eth0.rx_errors": 500}, None),
    ("link-errors", {"link.eth1.tx_dropped": 50_000}, None),
    ("name-on-slow-card", {"link.eth1.speed_mbit": 100, "link.eth1.supported_mbit": 100}, None),
    ("idle-fabric", {"network.fabrics": "mlx5_0", "memory.locked_most_bytes": 8 << 20}, None),
    ("offloads-off", {"link.eth0.offloads_off": "tso"}, "link.offloads=on --device eth0"),
    ("small-shm", {"memory.shm_bytes": 64 << 20}, "memory.shm=1024Mi"),
    ("numa-balancing", {"processor.numa_nodes": 2}, "memory.numa_balancing=off"),
    ("slow-clock", {"processor.governor": "ondemand"}, None),
    ("busy-host", {"processor.busy_share": 0.4, "processor.busy_processes": "stress (17)"}, None),
    ("busy-host", {"processor.steal_share": 0.1}, None),
    ("few-cores", {"processor.quota_cores": 4.0}, None),
]


def state(changed: dict[str, Value | None]) -> State:
    return State("node1", {name: Fact(value, f"the {name} file") for name, value in {**HEALTHY, **changed}.items()})


def test_a_healthy_host_has_no_fault() -> None:
    assert find_faults(state({})) == ()


@pytest.mark.parametrize(("name", "changed", "command"), PLANTED)
def test_a_planted_fault_is_found(name: str, changed: dict[str, Value | None], command: str | None) -> None:
    found = find_faults(state(changed))
    assert {fault.id for fault in found} == {name}
    for fault in found:
        assert fault.evidence
        assert all(each.source == f"the {each.what} file" for each in fault.evidence)
        assert fault.remedies or fault.advice
        assert len(fault.why.splitlines()) >= 3
    commands = [remedy.command for fault in found for remedy in fault.remedies]
    assert commands == ([f"sudo clearway host apply {command}"] if command else [])


def test_every_fault_is_planted_once_and_names_settings_that_there_are() -> None:
    modules = {module.name for module in pkgutil.iter_modules(faults.__path__)} - {"model"}
    assert {name for name, _, _ in PLANTED} == {name.replace("_", "-") for name in modules}
    for _, _, command in PLANTED:
        if command:
            find_setting(command.partition("=")[0])


def test_nothing_read_is_nothing_found() -> None:
    """What cannot be read is no fault, and no reason to fail."""
    unread = State("node1", {name: Fact(None, "x", "gone") for name in HEALTHY if not name.startswith("link.")})
    assert find_faults(unread) == ()
    assert find_faults(State("node1", {})) == ()


def test_a_timeout_that_is_met_often_is_serious() -> None:
    calm, stormy = (
        find_faults(state({"link.eth0.rto_min_ms": 0, "tcp.timeouts": timeouts})) for timeouts in (2, 20_000)
    )
    assert [fault.serious for fault in (*calm, *stormy)] == [False, True]


# As ethtool 6.1 prints it, of a gigabit card behind a switch of 100 Mbit/s.
NEGOTIATED = (Path(__file__).parent / "ethtool_gigabit_at_100.txt").read_text()


def test_what_ethtool_prints() -> None:
    assert fastest(NEGOTIATED, "Supported", "ethtool eth0") == 1000
    assert fastest(NEGOTIATED, "Link partner", "ethtool eth0") == 100
    assert pairs(NEGOTIATED)["Duplex"] == "Full"
    with pytest.raises(UnreadableError, match="switch does not report"):
        fastest(NEGOTIATED.replace("Link partner", "Partner"), "Link partner", "ethtool eth0")
    with pytest.raises(UnreadableError, match="card does not report"):
        fastest("\tSupported link modes:   Not reported\n\tSpeed: Unknown!\n", "Supported", "ethtool eth0")


def test_which_links_are_cards() -> None:
    def link(name: str, flags: str = "UP LOWER_UP", kind: str = "", address: str = "10.0.0.1") -> dict[str, object]:
        return {
            "ifname": name,
            "flags": flags.split(),
            "linkinfo": {"info_kind": kind} if kind else {},
            "addr_info": [{"local": address}] if address else [],
        }

    links = [
        link("lo", "UP LOWER_UP LOOPBACK"),
        link("eth0"),
        link("bond0", kind="bond"),
        link("docker0", kind="bridge"),
        link("tun0", kind="tun"),
        link("eth1", "UP"),  # no cable
        link("eth2", address=""),
    ]
    assert list(cards_of(links)) == ["eth0", "bond0"]
