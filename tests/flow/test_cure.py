"""The collapse and its cure, on real TCP: eight hosts behind a switch whose ports hold 20 kB."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import mpis
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page
from testbed.conftest import HARNESS_NAMES

from clearway.base.errors import ClearwayError
from clearway.testbed import Mpi, Outcome, Shape, Testbed, find_mpi, privilege

HOSTS = 8
BLOCK_BYTES = 65536
OURS = "ordered+token:12000,chunk:8000"


@pytest.fixture
def open_mpi_4() -> Mpi:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    try:
        return find_mpi("openmpi")
    except ClearwayError as error:
        pytest.skip(error.message)


@pytest.mark.timeout(180)
def test_flow_cures_the_collapse(open_mpi_4: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Open MPI loses packets and waits for TCP's timer; ours does not, and the selector finds that out by itself."""
    program = programs.build(mpis.mpi(HARNESS_NAMES[open_mpi_4.name]), "collective_loop", "collective_loop.c")

    def run(calls: int, *options: str) -> Outcome:
        recorder = [clearway_tool("clearway-record"), "-o", tmp_path / "run", *options] if options else []
        with Testbed(Shape(hosts=HOSTS, rate_bps=20_000_000, buffer_bytes=20_000)) as testbed:
            words = ["alltoall", str(BLOCK_BYTES), str(calls)]
            return testbed.run(open_mpi_4, [*recorder, program, *words], timeout_s=60)

    calls, more_calls = 12, 40
    bare = run(calls)
    ours = run(calls, f"--flow-algorithm={OURS}")
    assert (bare.returncode, ours.returncode) == (0, 0), (bare, ours)
    # What was lost and what waited for TCP's timer decides, not how long it took: it is the same on a busy machine.
    assert bare.counters.timeouts > 0
    # None on a quiet machine; a rank that is kept from its core for long may see one.
    assert ours.counters.timeouts * 4 <= bare.counters.timeouts, (ours.counters, bare.counters)
    assert ours.counters.drops * 4 <= bare.counters.drops, (ours.counters, bare.counters)

    chosen = run(more_calls, "--flow")  # its first calls try the MPI's own, too
    assert chosen.returncode == 0, chosen
    drops_a_call = chosen.counters.drops / more_calls, bare.counters.drops / calls
    assert 2 * drops_a_call[0] <= drops_a_call[1], drops_a_call
    [row] = load_page(tmp_path / "run")["flow"]
    assert row["chosen"] != "own"
    assert row["gain"] > 1
    assert (row["ranks"], row["hosts"], row["low_bytes"]) == (HOSTS, HOSTS, BLOCK_BYTES)
