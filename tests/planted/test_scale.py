"""`clearway scale` compared with the real thing: a job recorded on few ranks, and the same job on more."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_job

from clearway.predict.scaling.measured import Measured, measure
from clearway.predict.scaling.scale import scale

WORK_NS = 20_000_000  # of all ranks, in a step
STEPS = 150


def measured(mpi: Mpi, folder: Path, ranks: int) -> Measured:
    script = folder / f"{ranks}.script"
    head = f"clearway-script 1\ntitle divided\nranks {ranks}\nsteps {STEPS}\nrank 0-{ranks - 1}\n"
    script.write_text(f"{head}compute {WORK_NS // ranks}\nalltoall {1_000_000 // ranks**2}\nallreduce 800\n")
    outcome = run_job(mpi, [clearway_tool("clearway-workload"), script], ranks, folder / f"run{ranks}")
    assert outcome.exit_code == 0, outcome.says
    return measure(folder / f"run{ranks}")


@pytest.mark.slow
@pytest.mark.timed
def test_the_largest_of_four_is_foretold_from_the_others(open_mpi: Mpi, tmp_path: Path) -> None:
    """Beyond the machine's cores, so that it does not get faster as a guess would have it."""
    runs = [measured(open_mpi, tmp_path, ranks) for ranks in (1, 2, 4)]
    (target,) = scale(runs, [8]).targets
    wall_s = measured(open_mpi, tmp_path, 8).wall_s / 8
    assert target.wall.expected is not None
    off = abs(math.log(target.wall.expected / wall_s))
    assert off < math.log(1.6), f"{target.wall} for {wall_s} s"
    assert off < abs(math.log(target.perfect_s / wall_s))
