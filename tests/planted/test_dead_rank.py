"""A rank that is killed while the launcher does not notice: `clearway top` of the job tells who waits for it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import begin_job, clearway_tool, kill_all, run_command

from clearway.base.errors import ClearwayError
from clearway.run import Run, load
from clearway.run.layout import State

RANKS = 3
LONGEST_S = 30.0
pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]


def at_work(directory: Path) -> Run | None:
    """Once all ranks have left MPI_Init."""
    try:
        run = load(directory)
    except ClearwayError:
        return None
    states = run.processes["state"].tolist()
    return run if states == [State.RUNNING] * RANKS else None


def test_top_tells_who_waits_for_a_dead_rank(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Ranks 1 and 2 receive from rank 0, which is killed; the launcher is stopped, as where its host has gone."""
    directory = tmp_path / "run"
    job = begin_job(open_mpi, [programs.build(open_mpi, "stuck", "stuck.c"), "receive"], RANKS, directory)
    pids: list[int] = []
    try:
        deadline = time.monotonic() + LONGEST_S
        while (run := at_work(directory)) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert run is not None
        pids = run.processes["pid"].tolist()
        os.kill(job.pid, signal.SIGSTOP)
        os.kill(pids[run.process_of_rank[0]], signal.SIGKILL)
        said = ""
        while "Rank 0 left no record" not in said and time.monotonic() < deadline:
            time.sleep(1.0)
            outcome = run_command([clearway_tool("clearway"), "top", directory], {}, LONGEST_S)
            assert outcome.exit_code == 0, outcome.says
            said = " ".join(outcome.stdout.split())
        assert "it was killed or stopped, or its host is lost; ranks 1 and 2 wait for it in MPI_Recv" in said, said
        assert "rank 0: without a record" in said
        assert "Ranks wait for one that has ended" in said
    finally:
        for pid in pids[1:]:
            os.kill(pid, signal.SIGKILL)
        os.kill(job.pid, signal.SIGCONT)
        kill_all(job)
        job.wait(timeout=10)
