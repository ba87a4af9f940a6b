"""What a recorded process says of the launcher above it, and of the processors that it may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_job

from clearway.diagnosis.facts.granted_processors import allowed
from clearway.run import load
from clearway.run.run import Run

MINE = sorted(os.sched_getaffinity(0))


def record(mpi: Mpi, directory: Path, *command: str) -> Run:
    words = [*command, clearway_tool("clearway-record"), "--always", "-o", directory, "--", "/bin/true"]
    outcome = run_job(mpi, words, 2)
    assert outcome.exit_code == 0, outcome.says
    return load(directory)


def test_the_launcher_is_known_by_its_processes(debian_mpi: Mpi, tmp_path: Path) -> None:
    run = record(debian_mpi, tmp_path / "run")
    assert [allowed(cpus) for cpus in run.fact("process.launcher_cpus").values()] == [frozenset(MINE)] * 2
    known = [name for host in run.hosts for name in host.counters if name.startswith("launcher.")]
    assert known
    assert all(name.endswith(".cpu_ms") for name in known)


def test_who_is_bound_tells_how_busy_its_own_processors_are(open_mpi: Mpi, tmp_path: Path) -> None:
    if len(MINE) < 2:
        pytest.skip("needs two processors")
    run = record(open_mpi, tmp_path / "run", "taskset", "-c", str(MINE[0]))
    assert (run.counters.data["name"] == b"process.own_cpus_busy_ms").sum() == 2
    free = record(open_mpi, tmp_path / "free")
    everything = len(MINE) == os.cpu_count()
    assert (free.counters.data["name"] == b"process.own_cpus_busy_ms").any() != everything
