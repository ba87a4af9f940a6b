"""A fabric that nobody uses: a real job over TCP between hosts that list an active InfiniBand port."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page

from clearway.testbed import DEEP, Shape, Testbed, find_mpi, privilege

SHAPE = Shape(hosts=2, rate_bps=20_000_000, buffer_bytes=DEEP)
FOLDER = "/sys/class/infiniband/mlx5_0/ports/1"
PLANT = f"""
mount -t tmpfs none /sys/class
mkdir -p {FOLDER}
echo "4: ACTIVE" > {FOLDER}/state
echo "100 Gb/sec (4X EDR)" > {FOLDER}/rate
echo InfiniBand > {FOLDER}/link_layer
exec "$@"
"""


@pytest.mark.parametrize("planted", [True, False])
def test_a_job_over_tcp(planted: bool, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    program = programs.build(open_mpi, "exchange", "exchange.c")
    before = ["unshare", "--mount", "sh", "-c", PLANT, "sh"] if planted else []
    recorded = [*before, clearway_tool("clearway-record"), "-o", tmp_path / "run", "--", program]
    with Testbed(SHAPE) as testbed:
        outcome = testbed.run(find_mpi("openmpi"), [*recorded, "sendrecv", "60000", "60"], timeout_s=55)
    assert outcome.returncode == 0, outcome
    findings = {finding["rule"]: finding for finding in load_page(tmp_path / "run")["findings"]}
    assert ("slower-fabric" in findings) == planted, findings
    if planted:
        # The wire of 20 Mbit/s was all that the ranks waited for.
        page = load_page(tmp_path / "run")
        assert findings["slower-fabric"]["cost_s"] > 0.5 * page["ledger"]["mpi_transfer_s"] / 2
