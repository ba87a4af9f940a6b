"""How often the sampler looks at what the main thread does: often at first, and in the end no stretch of the job counts
for more than another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import clearway_tool

from clearway.run import load
from clearway.run.layout import Activity, Place

SLEEPS_THEN_COMPUTES = """
import sys, time
asleep_s, busy_s = map(float, sys.argv[1:])
time.sleep(asleep_s)
end_s = time.monotonic() + busy_s
while time.monotonic() < end_s: pass
"""


def samples(directory: Path, asleep_s: float, busy_s: float) -> dict[Activity, int]:
    """Of a recorded program that does both, outside its calls."""
    program = [sys.executable, "-c", SLEEPS_THEN_COMPUTES, str(asleep_s), str(busy_s)]
    command = [clearway_tool("clearway"), "run", "-q", "--sample-ms", "80", "-o", str(directory), "--", *program]
    subprocess.run(command, check=True, capture_output=True)
    run = load(directory)
    last = run.processes["end_s"] - run.processes["begin_s"] > 0.9 * (asleep_s + busy_s)
    mine = run.activities.data[last[run.activities.process] & (run.activities.data["place"] == Place.OUTSIDE)]
    return {
        activity: int(mine["samples"][mine["activity"] == activity].sum())
        for activity in (Activity.SLEEPING, Activity.RUNNING)
    }


def test_a_short_job_is_looked_at_four_times_in_a_period(tmp_path: Path) -> None:
    met = samples(tmp_path / "run", 1.6, 0.1)
    assert 50 < met[Activity.SLEEPING] <= 82  # a period is 80 ms


def test_a_longer_job_is_looked_at_less_often_and_its_begin_counts_for_no_more(tmp_path: Path) -> None:
    met = samples(tmp_path / "run", 4.0, 4.4)  # 200 looks by 4 s, 100 of which are left; by 8 s once more
    assert sum(met.values()) < 150
    # Had none been forgotten, it would be two in three.
    assert met[Activity.SLEEPING] / sum(met.values()) == pytest.approx(0.48, abs=0.1)
