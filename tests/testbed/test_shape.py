"""What can be asked for, and the lines that `ip` and `tc` are given for it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from clearway.base.errors import ClearwayError
from clearway.base.units import format_buffer, format_rate, parse_buffer, parse_rate_bps
from clearway.testbed import DEEP, Shape, plan
from clearway.testbed.fault import Fault, parse_fault
from clearway.testbed.layout import Layout


@pytest.mark.parametrize(
    ("text", "rate_bps"), [("20mbit", 20_000_000), ("1gbit", 10**9), ("2.5Gbit", 2_500_000_000), ("300000", 300_000)]
)
def test_rates(text: str, rate_bps: int) -> None:
    assert parse_rate_bps(text) == rate_bps
    assert parse_rate_bps(format_rate(rate_bps)) == rate_bps


@pytest.mark.parametrize(("text", "size_bytes"), [("20k", 20_000), ("64kB", 64_000), ("1m", 10**6), ("deep", DEEP)])
def test_buffers(text: str, size_bytes: int | None) -> None:
    assert parse_buffer(text) == size_bytes
    assert parse_buffer(format_buffer(size_bytes)) == size_bytes


@pytest.mark.parametrize("text", ["", "fast", "-1mbit", "1pbit"])
def test_no_rates(text: str) -> None:
    with pytest.raises(ClearwayError) as error:
        parse_rate_bps(text)
    assert error.value.hint


@pytest.mark.parametrize(
    "wrong",
    [
        {"hosts": 0},
        {"hosts": 1000},
        {"rate_bps": 10},
        {"buffer_bytes": 100},
        {"per_host": 0},
        {"congestion": "bbr"},
        {"rto_min_ms": 0},
        {"switches": 5},
        {"uplink_bps": 1},
        {"faults": (Fault(node=9, loss=0.1),)},
    ],
)
def test_impossible_shapes(wrong: dict[str, Any]) -> None:
    with pytest.raises(ClearwayError) as error:
        Shape(**{"hosts": 4, **wrong})
    assert error.value.hint


def test_faults() -> None:
    assert parse_fault("node3:cpu=50%") == Fault(node=3, cpu_share=0.5)
    assert parse_fault("node12:loss=0.5%") == Fault(node=12, loss=0.005)
    assert parse_fault("node2:mtu=1400") == Fault(node=2, mtu_bytes=1400)
    assert parse_fault("node1:rate=10mbit") == Fault(node=1, rate_bps=10_000_000)
    assert parse_fault("node1:rate-to=10mbit") == Fault(node=1, rate_to_bps=10_000_000)
    assert parse_fault("node4:latency-us=500") == Fault(node=4, latency_us=500)
    for text in (
        "node3",
        "3:loss=1%",
        "node3:loss=1",
        "node3:loss=100%",
        "node3:speed=1%",
        "node1:cpu=0%",
        "node1:latency-us=0",
    ):
        with pytest.raises(ClearwayError):
            parse_fault(text)


def test_one_port_is_slower_toward_its_host_and_one_cable_longer() -> None:
    faults = (Fault(node=2, rate_to_bps=5_000_000), Fault(node=3, latency_us=700))
    layout = Layout("test", Shape(hosts=4, buffer_bytes=DEEP, faults=faults))
    assert plan.shaper("eth0-node2", 5_000_000, 2**30) in plan.port_lines(layout)
    assert plan.shaper("eth0-node1", 20_000_000, 2**30) in plan.port_lines(layout)
    assert all("rate 20000000bit" in line for host in layout.hosts for line in plan.card_lines(layout, host))
    assert [(latency_us, port) for latency_us, port, *_ in plan.long_cables(layout)] == [(700, "eth0-node3")]


def test_shapes_survive_their_record() -> None:
    shape = Shape(hosts=6, buffer_bytes=DEEP, switches=2, faults=(Fault(node=2, loss=0.25),))
    record = json.loads(json.dumps(dataclasses.asdict(shape)))
    assert Shape.from_record(record) == shape
    assert Shape.from_record({**record, "of_a_later_version": 1}) == shape


def test_every_host_has_its_own_address_and_port() -> None:
    layout = Layout("test", Shape(hosts=128, second_card_bps=10**6))
    for network in layout.networks:
        for name in (network.address, network.mac, network.port):
            assert len({name(host) for host in layout.everyone}) == 129
    assert all(len(device) <= 15 for device in plan.switch_devices(layout))


def test_hosts_in_a_row_or_spread_over_switches() -> None:
    def switches(spread: bool) -> list[str]:
        layout = Layout("test", Shape(hosts=6, switches=2, spread=spread))
        return [layout.switch_of(layout.network, host) for host in layout.hosts]

    assert switches(spread=False) == ["switch1"] * 3 + ["switch2"] * 3
    assert switches(spread=True) == ["switch1", "switch2"] * 3
