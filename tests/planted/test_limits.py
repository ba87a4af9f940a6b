"""Memory that a control group does not grant: ranks that wait for their pages, and one that is killed."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.outcome import Outcome
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command

V1_MEMORY = Path("/sys/fs/cgroup/memory")
MIB = 1 << 20
Ran = Callable[..., tuple[Outcome, dict[str, Any]]]


@contextmanager
def memory_group(bytes_: int) -> Iterator[Path]:
    """A control group of version 1 that grants so much."""
    if os.geteuid() != 0 or not (V1_MEMORY / "memory.limit_in_bytes").exists():
        pytest.skip("needs root and the memory controller (cgroup v1)")
    group = V1_MEMORY / f"clearway-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(bytes_))
        yield group
    finally:
        end = time.monotonic() + 5
        while (group / "cgroup.procs").read_text() and time.monotonic() < end:
            time.sleep(0.05)  # the last daemon of the launcher
        group.rmdir()


@pytest.fixture
def ran(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Ran:
    """The job in a group of so many MB, started by `clearway run` as a person would; and its page."""

    def run(granted_mb: int, *arguments: str | int) -> tuple[Outcome, dict[str, Any]]:
        program = programs.build(open_mpi, "limits", "limits.c")
        directory = tmp_path / f"run-{granted_mb}"
        clearway = [sys.executable, "-m", "clearway", "run", "-q", "-o", directory, "--"]
        with memory_group(granted_mb * MIB) as group:
            enter = ("sh", "-c", f'echo $$ > {group}/cgroup.procs; exec "$@"', "sh")
            words = [*enter, *clearway, *open_mpi.command(2, [program, *arguments])]
            outcome = run_command(words, open_mpi.environment, 60, tmp_path)
        page: dict[str, Any] = load_page(directory)
        shutil.rmtree(directory)
        return outcome, page

    return run


def finding(page: dict[str, Any], rule: str) -> dict[str, Any] | None:
    return next((found for found in page["findings"] if found["rule"] == rule), None)


@pytest.mark.timed
def test_ranks_that_wait_for_their_pages(ran: Ran, tmp_path: Path) -> None:
    """Two files of 60 MB, walked through eight times, in 150 MB with all that a launcher needs; and in plenty."""
    outcome, page = ran(150, "pages", tmp_path, 60, 8)
    assert outcome.exit_code == 0, outcome.says
    found = finding(page, "memory-pressure")
    assert found is not None
    assert any(each["what"] == "the control group was full" for each in found["evidence"])
    assert [remedy["id"] for remedy in found["remedies"]] == ["more-memory"]
    outcome, page = ran(600, "pages", tmp_path, 60, 8)
    assert outcome.exit_code == 0, outcome.says
    assert finding(page, "memory-pressure") is None


def test_a_rank_that_is_killed_for_want_of_memory_is_said_to_be(ran: Ran) -> None:
    outcome, page = ran(190, "grows", 10, 40)
    assert outcome.exit_code != 0
    found = finding(page, "out-of-memory")
    assert found is not None
    assert "The record of rank 1" in found["says"]
    outcome, page = ran(900, "grows", 10, 40)
    assert outcome.exit_code == 0, outcome.says
    assert finding(page, "out-of-memory") is None
