"""What a record says of the network cards and fabrics of a host, on cards that the kernel makes for the test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

PLANT = ("unshare", "--net", "--mount", sys.executable, str(Path(__file__).with_name("plant_cards.py")))


@pytest.fixture
def facts(record) -> dict[str, str]:  # type: ignore[no-untyped-def]
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    return dict(record("true", prefix=PLANT).run.hosts[0].facts)


def test_links(facts: dict[str, str]) -> None:
    assert (facts["net.tap7.speed_mbit"], facts["net.tap7.duplex"]) == ("100", "half")
    assert facts["net.tap7.supported_mbit"] == "1000"
    assert "net.eth7.supported_mbit" not in facts  # a veth does not tell
    assert "net.tap7.rx_pause" not in facts  # nor a tap
    assert (facts["net.tap7.driver"], facts["net.eth7.driver"]) == ("tun", "veth")


def test_networks(facts: dict[str, str]) -> None:
    assert (facts["net.tap7.addresses"], facts["net.tap7.networks"]) == ("10.9.8.7", "10.9.0.0/20")
    assert (facts["net.eth7.addresses"], facts["net.eth7.networks"]) == ("192.0.2.7", "192.0.2.0/24")


def test_a_limit_of_the_host_itself(facts: dict[str, str]) -> None:
    assert facts["net.eth7.shaped_bytes_per_s"] == "1500000"  # 12 Mbit/s
    assert "net.tap7.shaped_bytes_per_s" not in facts


def test_ports_of_a_fabric(facts: dict[str, str]) -> None:
    said = {name: value for name, value in facts.items() if name.startswith("rdma.")}
    assert said == {
        "rdma.mlx5_0.1.mbit": "100000",
        "rdma.mlx5_0.1.layer": "InfiniBand",
        "rdma.old_0.1.mbit": "2500",
        "rdma.old_0.1.layer": "Ethernet",
    }
