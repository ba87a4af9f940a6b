"""The ledger over time of a real job whose phases are known, and of one that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import descendants, kill_all, load_page, run_job

LINES = ("compute_s", "core_wait_s", "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s", "io_s", "other_s")


def in_phase(page: dict[str, Any], line: str, phase: int) -> float:
    """The part of a line that lies in the slices of a phase."""
    whole = sum(one[line] for one in page["strip"])
    return float(sum(one[line] for one in page["strip"] if one["phase"] == phase) / whole)


def adds_up(page: dict[str, Any]) -> None:
    for line in LINES:
        assert sum(one[line] for one in page["strip"]) == pytest.approx(page["ledger"][line], rel=1e-9, abs=1e-9)
    assert sum(one["wall_s"] for one in page["strip"]) == pytest.approx(page["ledger"]["wall_s"], rel=1e-9)


def test_what_was_done_when(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = [programs.build(open_mpi, "phases", "phases.c"), "0.6", tmp_path / "data"]
    outcome = run_job(open_mpi, program, 2, tmp_path / "run", ["--sample-ms", "10"])
    assert outcome.exit_code == 0, outcome.says
    page = load_page(tmp_path / "run")
    adds_up(page)
    assert 20 < len(page["strip"]) <= 200
    phases = [one["phase"] for one in page["strip"]]
    assert phases == sorted(phases), "time runs to the right"
    assert set(phases) >= {1, 2, 3}
    assert in_phase(page, "io_s", 3) > 0.8
    assert in_phase(page, "mpi_wait_s", 2) > 0.5  # MPI_Init and the cores that ranks share make some elsewhere
    assert in_phase(page, "compute_s", 1) > in_phase(page, "compute_s", 2) > in_phase(page, "compute_s", 3)
    assert sum(abs(one["residue_s"]) for one in page["strip"]) < 0.05 * page["ledger"]["wall_s"]


def test_a_killed_job_has_its_strip(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = [programs.build(open_mpi, "phases", "phases.c"), "0.4", tmp_path / "data", "2"]
    record = [clearway_tool("clearway-record"), "-o", tmp_path / "run", "--sample-ms", "10", "--"]
    command = [str(word) for word in open_mpi.command(2, [*record, *program])]
    environment, nowhere = {**os.environ, **open_mpi.environment}, subprocess.DEVNULL
    job = subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere, text=True)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(list((tmp_path / "run").glob("rank.*"))) < 2:
            time.sleep(0.1)
        time.sleep(3)
        for pid in descendants(job.pid):
            os.kill(pid, signal.SIGKILL)
    finally:
        kill_all(job)
        job.wait()
    page = load_page(tmp_path / "run")
    adds_up(page)
    assert len(page["strip"]) > 10
    assert page["strip"][-1]["phase"] in (1, 2)
