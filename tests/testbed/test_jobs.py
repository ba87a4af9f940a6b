"""MPI jobs on a testbed: where ranks run, what reaches them, how they end, what is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from testbed.conftest import build, clearway, find_or_skip

from clearway.testbed import DEEP, Mpi, Shape, Testbed
from clearway.testbed.kernel import processes_in

pytestmark = pytest.mark.usefixtures("privileged")


def test_every_mpi_runs_across_hosts(each_mpi: Mpi, programs: ProgramBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    program = build(programs, each_mpi, "where")
    monkeypatch.setenv("CLEARWAY_TOLD", "by-itself")
    with Testbed(Shape(hosts=3, per_host=2)) as testbed:
        outcome = testbed.run(each_mpi, [program], env={"TOLD": "asked for"}, timeout_s=40)
    expected = [f"{rank} 6 node{rank // 2 + 1} asked for by-itself" for rank in range(6)]
    assert sorted(line for line in outcome.stdout.splitlines() if " node" in line) == expected, outcome
    assert outcome.counters.segments > 0
    assert (outcome.returncode, outcome.timed_out) == (0, False), outcome


@pytest.mark.slow
def test_mpich_ends(programs: ProgramBuilder) -> None:
    """Without native/testbed/ucx_finalize.cpp about every second of these would hang in MPI_Finalize."""
    mpich = find_or_skip("mpich")
    program = build(programs, mpich, "flood")
    with Testbed(Shape(hosts=4)) as testbed:
        for _ in range(6):
            outcome = testbed.run(mpich, [program, "1000", "2"], timeout_s=20)
            assert (outcome.returncode, outcome.timed_out) == (0, False), outcome


def test_uneven_hosts(open_mpi_4: Mpi, programs: ProgramBuilder) -> None:
    program = build(programs, open_mpi_4, "where")
    with Testbed(Shape(hosts=4)) as testbed:
        outcome = testbed.run(open_mpi_4, [program], per_host=[2, 0, 1], timeout_s=30)
    assert sorted(line.split()[2] for line in outcome.stdout.splitlines()) == ["node1", "node1", "node3"], outcome


def test_a_time_limit_ends_all_ranks(each_mpi: Mpi) -> None:
    with Testbed(Shape(hosts=2)) as testbed:
        outcome = testbed.run(each_mpi, ["sleep", "1000"], timeout_s=2)
        assert processes_in(testbed.layout.namespaces) == []
    assert (outcome.returncode, outcome.timed_out) == (124, True)


@pytest.mark.timed
def test_the_collapse(open_mpi_4: Mpi, programs: ProgramBuilder) -> None:
    """The same all-to-all over the same links: small port buffers cost it a multiple of its time in lost packets."""
    program = build(programs, open_mpi_4, "flood")
    outcomes = []
    for buffer_bytes in (8000, DEEP):
        with Testbed(Shape(hosts=8, buffer_bytes=buffer_bytes)) as testbed:
            outcomes.append(testbed.run(open_mpi_4, [program, "16384", "12"], timeout_s=50))
    lossy, lossless = outcomes
    assert (lossy.returncode, lossless.returncode) == (0, 0), outcomes
    assert lossless.counters.drops == 0
    assert lossy.counters.drops > 0
    assert lossy.counters.timeouts > 0
    assert float(lossy.stdout) / float(lossless.stdout) > 1.5


def test_the_command_line(open_mpi_4: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """`clearway testbed run` passes output and exit code on, and keeps its own words to standard error."""
    program = build(programs, open_mpi_4, "where")
    target = tmp_path / "counters.json"
    outcome = clearway(
        *("run", "--hosts", "2", "--buffer", "20k", "--env", "TOLD=this", "--counters", "--counters-json", target),
        *("--", program, "7"),
    )
    assert outcome.exit_code == 7, outcome.says
    assert outcome.lines == ["0 2 node1 this -", "1 2 node2 this -"]
    assert "retransmi" not in outcome.stdout
    assert "clearway: TCP sent" in outcome.stderr
    counted = json.loads(target.read_text())
    assert counted["segments"] > 0
    assert set(counted) == {"segments", "retransmits", "timeouts", "drops"}
