"""The recorder's own packets find out which sizes reach a host, by real UDP and ICMP between hosts of a testbed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clearway.testbed import DEEP, Shape, Testbed, privilege
from clearway.testbed.fault import Fault

NATIVE = Path(__file__).resolve().parents[2] / "native"
FULL = 1500


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    refused = privilege.why_not()
    if refused is not None:
        pytest.skip(refused[0])
    program = tmp_path_factory.mktemp("echo") / "driver"
    sources = [Path(__file__).with_name("echo_driver.cpp"), NATIVE / "recorder/sockets/echo.cpp"]
    subprocess.run(["c++", "-std=c++20", "-O1", f"-I{NATIVE}", *sources, "-o", program], check=True)
    return program


def test_which_packets_reach_a_host(driver: Path) -> None:
    """All of them node1's; those of up to 1,100 bytes node2's; none of a host that is not there."""
    with Testbed(Shape(hosts=3, buffer_bytes=DEEP, faults=(Fault(node=2, mtu_bytes=1100),))) as testbed:

        def asked(host: str, address: str) -> tuple[int, int]:
            own = testbed.layout.network.address(next(each for each in testbed.layout.hosts if each.name == host))
            words = testbed.on_host(host, [str(driver), own, address, str(FULL)])
            said = subprocess.run(words, check=True, capture_output=True, text=True, timeout=30).stdout
            passed, lost = said.split()
            return int(passed), int(lost)

        address = {each.name: testbed.layout.network.address(each) for each in testbed.layout.hosts}
        assert asked("node2", address["node1"]) == (FULL, 0)
        passed, lost = asked("node3", address["node2"])
        assert passed <= 1100 < lost
        assert lost - passed <= 16
        assert asked("node1", "10.77.0.99") == (0, 0)
