"""Rankfiles for a machine of four sockets and hyper-threads, read by Open MPI 5, which maps but does not launch."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from testbed.conftest import find_or_skip

from clearway.cluster import Cluster, Host
from clearway.cluster.forms.openmpi import form_5
from clearway.cluster.hwloc import parse_topology
from clearway.cluster.placement import Request, place

pytestmark = pytest.mark.skipif(shutil.which("hwloc-calc") is None, reason="hwloc-nox is not installed")

# Four sockets of four cores of two hardware threads, which the firmware numbers in turn over the sockets.
INDEXES = ",".join(str(cpu) for first in range(4) for cpu in range(first, 32, 4))
MACHINE = f"pack:4 numa:1 core:4 pu:2(indexes={INDEXES})"
REQUESTS = {
    "a core each": Request(16),
    "two cores each": Request(6, threads=2),
    "a hardware thread each": Request(20, hyper_threads=True),
}
_BINDING = re.compile(r"Binding: package.*?\[(core|hwt):L([\d,-]+)\]")


def output_of(*command: str | Path, **environment: str) -> str:
    everything = {**os.environ, **environment}
    return subprocess.run(command, env=everything, capture_output=True, text=True, timeout=60, check=True).stdout


def cpus_of(kind: str, numbers: str, xml: Path) -> tuple[int, ...]:
    """Cores are shown by hwloc's numbers, hardware threads by the kernel's."""
    if kind == "hwt":
        return (int(numbers),)
    cpus = output_of(
        "hwloc-calc", "-i", xml, "--physical-output", "-I", "pu", *(f"core:{n}" for n in numbers.split(","))
    )
    return tuple(sorted(int(cpu) for cpu in cpus.split(",")))


@pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS)
def test_open_mpi_maps_as_placed(asked: Request, tmp_path: Path) -> None:
    mpi = find_or_skip("openmpi5")
    xml = tmp_path / "machine.xml"
    xml.write_text(output_of("lstopo-no-graphics", "-i", MACHINE, "--of", "xml"))
    placement = place(Cluster((Host(os.uname().nodename, parse_topology(xml.read_text())),)), asked)
    made = form_5(placement, str(tmp_path), [])
    for name, text in made.files.items():
        (tmp_path / name).write_text(text)
    simulated = ("--prtemca", "hwloc_use_topo_file", xml, "--do-not-launch", "--display", "map-devel")
    shown = output_of(
        mpi.launcher,
        "-n",
        str(len(placement.seats)),
        *made.change.launcher_options,
        *simulated,
        "true",
        **mpi.environment,
    )
    bound = [cpus_of(kind, numbers, xml) for kind, numbers in _BINDING.findall(shown)]
    assert bound == [seat.cpus for seat in placement.seats], shown
