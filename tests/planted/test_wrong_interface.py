"""A bridge that every host has for itself, with the same address, and an MPI that is told to use it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page

from clearway.testbed import DEEP, Shape, Testbed, find_mpi, privilege

SHAPE = Shape(hosts=2, rate_bps=100_000_000, buffer_bytes=DEEP)
ADDRESS = "172.17.0.1/16"


@pytest.mark.timed
def test_messages_that_reach_the_host_that_sent_them(programs: ProgramBuilder, tmp_path: Path) -> None:
    refused = privilege.why_not()
    if refused is not None:
        pytest.skip(refused[0])
    program = programs.build(mpi("openmpi-debian"), "steady_alltoall", "steady_alltoall.c")
    pages: dict[str, Any] = {}
    with Testbed(SHAPE) as testbed:
        for host in ("node1", "node2"):
            for words in (
                ("link", "add", "docker0", "type", "bridge"),
                ("addr", "add", ADDRESS, "dev", "docker0"),
                ("link", "set", "docker0", "up"),
            ):
                subprocess.run(testbed.on_host(host, ["ip", *words]), check=True)
        for device, limit_s in (("docker0", 8), ("eth0", 40)):
            recorded = [clearway_tool("clearway-record"), "-o", tmp_path / device, "--", program, "1"]
            testbed.run(find_mpi("openmpi"), recorded, device=device, timeout_s=limit_s)
            pages[device] = load_page(tmp_path / device)
    first = pages["docker0"]["findings"][0]
    assert first["rule"] == "wrong-interface"
    assert "btl_tcp_if_include eth0" in first["remedies"][0]["command"]
    assert "wrong-interface" not in {each["rule"] for each in pages["eth0"]["findings"]}
