"""The links and hosts of a testbed, by real TCP without MPI."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest
from testbed.conftest import python_on_host
from testbed.wire import exchange, gather, joint_rate_bps, send

from clearway.testbed import DEEP, Shape, Testbed
from clearway.testbed.fault import Fault

pytestmark = pytest.mark.usefixtures("privileged")

SECOND_OF_20_MBIT = 2_500_000  # bytes


def said(testbed: Testbed, host: str, *command: str) -> str:
    line = testbed.on_host(host, command)
    return subprocess.run(line, check=True, capture_output=True, text=True, timeout=30).stdout


def test_hosts_are_hosts() -> None:
    """Each has its name, its card, its shared memory; the machine's own files and settings stay as they are."""
    watched = [Path("/etc/hosts"), Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")]
    before = [path.read_text() for path in watched]
    with Testbed(Shape(hosts=2)) as testbed:
        assert said(testbed, "node2", "hostname") == "node2\n"
        assert said(testbed, "node2", "ls", "/sys/class/net").split() == ["eth0", "lo"]
        assert said(testbed, "node1", "getent", "hosts", "node2").split() == ["10.77.0.2", "node2"]
        assert said(testbed, "node1", "ls", "/dev/shm") == ""
        assert said(testbed, "node1", "cat", "/proc/sys/net/ipv4/tcp_congestion_control").strip() in ("cubic", "reno")
        assert socket.gethostname() not in ("node1", "node2")
        assert [path.read_text() for path in watched] == before
    assert [path.read_text() for path in watched] == before


@pytest.mark.timed
@pytest.mark.parametrize("congestion", ["cubic", "reno"])
def test_rate_and_congestion_control(congestion: str) -> None:
    with Testbed(Shape(hosts=2, congestion=congestion)) as testbed:
        flow = send(testbed, "node1", "node2", SECOND_OF_20_MBIT)
        assert flow.received_bytes == SECOND_OF_20_MBIT
        assert 0.5 < flow.rate_bps / 20e6 < 1.02
        assert flow.congestion == congestion


def test_what_a_port_cannot_hold_is_lost() -> None:
    """Three hosts send to one: a small buffer drops, a deep one does not; every byte arrives in both cases."""
    for buffer_bytes, is_lossy in ((6000, True), (DEEP, False)):
        with Testbed(Shape(hosts=4, buffer_bytes=buffer_bytes)) as testbed:
            before = testbed.counters()
            flows = gather(testbed, ["node1", "node2", "node3"], "node4", SECOND_OF_20_MBIT // 4)
            counted = testbed.counters().since(before)
        assert sum(flow.received_bytes for flow in flows) == 3 * (SECOND_OF_20_MBIT // 4)
        assert (counted.drops > 0) == is_lossy, counted
        if is_lossy:
            assert counted.retransmits > 0, counted


@pytest.mark.timed
def test_faulty_ports() -> None:
    faults = (Fault(node=2, rate_bps=5_000_000), Fault(node=3, loss=0.05))
    with Testbed(Shape(hosts=4, buffer_bytes=DEEP, faults=faults)) as testbed:
        assert send(testbed, "node1", "node2", SECOND_OF_20_MBIT // 4).rate_bps / 5e6 < 1.02
        assert send(testbed, "node1", "node4", SECOND_OF_20_MBIT // 4).rate_bps / 5e6 > 1.5
        asked = testbed.counters().drops  # who has an address is asked of all: node3 may lose some of that
        assert asked < 4
        send(testbed, "node1", "node3", SECOND_OF_20_MBIT // 4)
        frames = SECOND_OF_20_MBIT // 4 / 1448
        assert 0.01 < (testbed.counters().drops - asked) / frames < 0.15


@pytest.mark.timed
def test_a_slow_host_gets_its_share_of_a_core() -> None:
    """On a busy machine any host may get less; only the slow one is kept from more."""
    script = """
import time
begin = time.monotonic()
while time.process_time() < 0.3: pass
print(0.3 / (time.monotonic() - begin))"""
    with Testbed(Shape(hosts=2, faults=(Fault(node=2, cpu_share=0.2),))) as testbed:
        groups = [said(testbed, host, "cat", "/proc/self/cgroup") for host in ("node1", "node2")]
        assert [testbed.layout.namespace("node2") in group for group in groups] == [False, True]
        assert float(said(testbed, "node2", *python_on_host(script))) < 0.25


@pytest.mark.timed
@pytest.mark.slow
def test_uplinks_are_shared() -> None:
    """Two pairs of hosts across the uplink get half of it each; within a switch each has its own link."""
    with Testbed(Shape(hosts=4, switches=2, buffer_bytes=DEEP)) as testbed:
        across = exchange(testbed, [("node1", "node3"), ("node2", "node4")], SECOND_OF_20_MBIT // 2)
        within = exchange(testbed, [("node1", "node2"), ("node3", "node4")], SECOND_OF_20_MBIT // 2)
    assert joint_rate_bps(across) / 20e6 < 1.02
    assert joint_rate_bps(within) / joint_rate_bps(across) > 1.3


@pytest.mark.timed
@pytest.mark.slow
def test_a_second_card() -> None:
    with Testbed(Shape(hosts=2, second_card_bps=4_000_000)) as testbed:
        slow = send(testbed, "node1", "node2", SECOND_OF_20_MBIT // 5, prefix="10.78")
        fast = send(testbed, "node1", "node2", SECOND_OF_20_MBIT // 5)
    assert slow.rate_bps / 4e6 < 1.02
    assert fast.rate_bps / slow.rate_bps > 2


@pytest.mark.timed
def test_latency() -> None:
    """A round trip takes it twice; rate and losses stay those of the ports."""
    latency_us = 5000
    with Testbed(Shape(hosts=4, buffer_bytes=6000, latency_us=latency_us)) as testbed:
        flow = send(testbed, "node1", "node2", SECOND_OF_20_MBIT // 4)
        assert 1 <= flow.handshake_us / (2 * latency_us) < 2
        assert flow.received_bytes == SECOND_OF_20_MBIT // 4
        assert flow.rate_bps / 20e6 < 1.02
        before = testbed.counters()
        gather(testbed, ["node1", "node2", "node3"], "node4", SECOND_OF_20_MBIT // 8)
        assert testbed.counters().since(before).drops > 0


@pytest.mark.timed
def test_a_long_cable_is_no_longer_than_it_is_said_to_be() -> None:
    """What the program that delays packets takes to be woken is no part of the delay."""
    latency_us = 200
    with Testbed(Shape(hosts=2, latency_us=latency_us)) as testbed:
        round_trips_us = [send(testbed, "node1", "node2", 1000, port=7000 + i).handshake_us for i in range(10)]
    assert 1 <= min(round_trips_us) / (2 * latency_us) < 1.3


@pytest.mark.timed
@pytest.mark.parametrize("latency_us", [0, 300])
def test_packets_do_not_overtake_one_another(latency_us: int) -> None:
    """TCP would send some again for nothing: without a common ring 100 of 100,000, on four hosts and two cores."""
    pairs = [(f"node{number}", f"node{number % 4 + 1}") for number in range(1, 5)]
    with Testbed(Shape(hosts=4, rate_bps=200_000_000, buffer_bytes=DEEP, latency_us=latency_us)) as testbed:
        before = testbed.counters()
        exchange(testbed, pairs, 8 * SECOND_OF_20_MBIT)
        counted = testbed.counters().since(before)
    assert counted.segments > 50_000
    assert counted.retransmits <= 5


def test_two_testbeds_at_once() -> None:
    with Testbed(Shape(hosts=2)) as one, Testbed(Shape(hosts=2)) as other:
        assert one.name != other.name
        assert send(one, "node1", "node2", 100_000).received_bytes == 100_000
        assert other.counters().segments == 0
