"""Hosts of a testbed, checked through each MPI's launcher, and changed one by one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_command
from host.machine import clearway_host
from testbed.conftest import each_mpi, open_mpi_4

from clearway.base.installed import find_program
from clearway.bench.assemble import assemble
from clearway.bench.printed import read_lines
from clearway.bench.program import PROGRAM, find_flow_library
from clearway.cluster.hosts.ask import probe, states_under
from clearway.cluster.hosts.differences import differences
from clearway.testbed import Shape, Testbed, mpis

__all__ = ["each_mpi", "open_mpi_4"]  # fixtures

# The undo file of a host that will be gone must not stay on this machine.
OWN_VAR = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs test /var/lib && exec "$@"', "sh"]


def apply(testbed: Testbed, host: str, *words: str) -> None:
    command = testbed.on_host(host, [*OWN_VAR, *clearway_host("apply", *words, "--yes")])
    subprocess.run(command, check=True, capture_output=True, timeout=30)


@pytest.mark.usefixtures("privileged")
def test_what_differs_is_found_through_every_launcher(each_mpi: mpis.Mpi) -> None:
    with Testbed(Shape(hosts=3)) as testbed:
        apply(testbed, "node2", "tcp.rto_min=30ms", "tcp.ecn=on")
        states = states_under(*testbed.command(each_mpi, probe(), per_host=2))
    assert sorted(state.host for state in states) == ["node1", "node2", "node3"]
    assert {state.text("network.name_card") for state in states} == {"eth0"}
    found = {each.name: each for each in differences(states)}
    assert found["link.eth0.rto_min_ms"].values == {"node1": 0, "node2": 30, "node3": 0}
    assert found["tcp.ecn"].odd == ("node2",)


@pytest.mark.usefixtures("privileged", "open_mpi_4")
def test_a_slow_host_is_told_from_its_equals() -> None:
    outcome = run_command([*clearway_host("check", "--testbed", "--hosts 3 --fault node2:cpu=25%", "--json", "-")])
    assert outcome.exit_code == 0, outcome.says
    tree = json.loads(outcome.stdout)
    assert [host["state"]["host"] for host in tree["hosts"]] == ["node1", "node2", "node3"]
    limited = {host["state"]["host"] for host in tree["hosts"] if "few-cores" in {one["id"] for one in host["faults"]}}
    assert limited == {"node2"}
    (quota,) = (each for each in tree["differences"] if each["name"] == "processor.quota_cores")
    assert quota["values"] == {"node1": "all", "node2": 0.25, "node3": "all"}
    assert quota["odd"] == ["node2"]


def test_a_host_file_of_this_machine(any_mpi: Mpi, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("localhost\n")
    command = [clearway_tool("clearway"), "host", "check", "--hosts", file, "--launcher", any_mpi.launcher[0]]
    outcome = run_command([*command, "--json", "-"], any_mpi.environment)
    assert outcome.exit_code == 0, outcome.says
    (host,) = json.loads(outcome.stdout)["hosts"]
    assert host["state"]["facts"]["kernel.release"]["value"]


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.usefixtures("privileged")
def test_a_shorter_timeout_speeds_up_what_loses_packets(open_mpi_4: mpis.Mpi) -> None:
    """LAM's all-to-all stands still for the timer, and little else."""
    program = find_program(PROGRAM)
    flow = ["--candidate", "lam", "--flow-library", str(find_flow_library(program))]
    words = [program, "alltoall", "--sizes", "4096", "--calls", "15", *flow]
    with Testbed(Shape(hosts=8, buffer_bytes=20_000)) as testbed:
        rates = [rate_of(testbed, open_mpi_4, words)]
        for host in testbed.layout.hosts:
            apply(testbed, host.name, "tcp.rto_min=10ms")
        rates.append(rate_of(testbed, open_mpi_4, words))
    assert rates[1] / rates[0] > 1.3, rates


def rate_of(testbed: Testbed, mpi: mpis.Mpi, words: list[str | Path]) -> float:
    outcome = testbed.run(mpi, words, timeout_s=60)
    return assemble(read_lines(outcome.stdout.splitlines())).curves[0].points[0].mean_bytes_per_s or 0.0
