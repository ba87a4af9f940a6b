"""A recorded job on a testbed, whose links and losses are what is planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from harness.mpis import clearway_tool

from clearway.testbed import Outcome, Shape, Testbed, find_mpi, privilege


def run_recorded(
    shape: Shape,
    program: Sequence[str | Path],
    run_directory: Path,
    environment: Mapping[str, str],
    mpi: str = "openmpi",
    options: Sequence[str] = (),
) -> Outcome:
    """Runs `program` on the hosts of `shape`; the test is skipped where there is no privilege to make them."""
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    recorded = [clearway_tool("clearway-record"), "-o", run_directory, *options, "--", *program]
    with Testbed(shape) as testbed:
        return testbed.run(find_mpi(mpi), recorded, env=environment, timeout_s=55)
