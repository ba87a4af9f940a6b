"""Networks that lose packets without being full: no word of congestion, and every second of silence in the ledger."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command

from clearway.testbed import DEEP, Shape, Testbed, find_mpi, privilege
from clearway.testbed.fault import Fault

SHAPE = Shape(hosts=3, rate_bps=100_000_000, buffer_bytes=DEEP)
LIMIT_S = 20
BEGUN_S = 3.0
Trouble = Callable[[Callable[..., None]], None]


def down_for_three_seconds(link: Callable[..., None]) -> None:
    link("down")
    time.sleep(3)  # what is planted, not what is waited for
    link("up")


def black_hole(link: Callable[..., None]) -> None:
    """Large packets do not come through, and nobody says so."""
    link("mtu", "1000")


@pytest.fixture
def page_of(programs: ProgramBuilder, tmp_path: Path) -> Callable[[Shape, Trouble | None], dict[str, Any]]:
    def run(shape: Shape, trouble: Trouble | None) -> dict[str, Any]:
        refused = privilege.why_not()
        if refused is not None:
            pytest.skip(refused[0])
        program = programs.build(mpi("openmpi-debian"), "steady_alltoall", "steady_alltoall.c")
        recorded = [clearway_tool("clearway-record"), "-o", tmp_path / "run", "--", program, "8"]
        with Testbed(shape) as testbed:
            switch = testbed.layout.namespace("switch")

            def link(*words: str) -> None:
                subprocess.run(["ip", "netns", "exec", switch, "ip", "link", "set", "eth0-node1", *words], check=True)

            later = threading.Timer(BEGUN_S, lambda: trouble(link) if trouble else None)
            later.start()
            testbed.run(find_mpi("openmpi"), recorded, timeout_s=LIMIT_S)
            later.join()
        return load_page(tmp_path / "run")

    return run


def found_as(rule: str, page: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in page["findings"] if one["rule"] == rule)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [down_for_three_seconds, black_hole])
def test_an_interrupted_way_is_no_congestion(page_of: Any, trouble: Trouble) -> None:
    page = page_of(SHAPE, trouble)
    network = {"outage", "mtu-black-hole", "congestion-loss"}
    found = next(one for one in page["findings"] if one["rule"] in network)
    assert found["rule"] == ("mtu-black-hole" if trouble is black_hole else "outage"), found
    assert "node1" in found["says"]
    assert {remedy["id"] for remedy in found["remedies"]} <= {"host-mtu-probing"}
    assert all(one["rule"] != "congestion-loss" for one in page["findings"])
    longest_s = max(socket["stall_s"] for socket in page["sockets"])
    assert longest_s > 2
    assert page["ledger"]["mpi_stall_s"] > 0.8 * longest_s


@pytest.mark.parametrize("name", ["openmpi", pytest.param("mpich", marks=pytest.mark.slow)])
def test_a_black_hole_from_the_start_keeps_a_rank_from_starting(
    name: str, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """The launcher's own messages are too large: the others stand in MPI_Init, and nobody computes."""
    refused = privilege.why_not()
    if refused is not None:
        pytest.skip(refused[0])
    program = programs.build(mpi(f"{name}-debian"), "steady_alltoall", "steady_alltoall.c")
    clearway = clearway_tool("clearway-record").with_name("clearway")
    testbed = [clearway, "testbed", "run", "--hosts", "3", "--buffer", "deep", "--mpi", name, "--timeout", "8"]
    job = [*testbed, "--fault", "node2:mtu=1200", "--", program, "8"]
    outcome = run_command([clearway, "run", "-q", "-o", tmp_path / "run", "--", *job], timeout_s=60)
    assert outcome.exit_code != 0
    page = load_page(tmp_path / "run")
    assert [rank["rank"] for rank in page["ranks"]] == [0, 2]
    assert page["findings"][0]["rule"] == "late-start"
    assert page["findings"][0]["says"].startswith(
        "Rank 1 has left no record, while the other 2 have waited in MPI_Init"
    )
    assert page["ledger"]["compute_s"] < 0.1 * page["ledger"]["wall_s"]


@pytest.mark.slow
def test_packets_lost_by_chance_are_no_congestion(page_of: Any) -> None:
    everywhere = tuple(Fault(node=node, loss=0.05) for node in (1, 2, 3))
    found = found_as("congestion-loss", page_of(replace(SHAPE, faults=everywhere), None))
    assert "lost by chance" in found["says"]
    assert {remedy["id"] for remedy in found["remedies"]} <= {"host-rto-min"}
