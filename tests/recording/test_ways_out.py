"""Calls that end otherwise than by returning once, with a handle of their own, leave the record right."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command
from recording.test_counts import check

from clearway.run import load
from clearway.run.layout import EventKind


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
def test_calls_left_by_exceptions_and_jumps(
    debian_mpi: Mpi, programs: ProgramBuilder, seed: int, tmp_path: Path
) -> None:
    """What comes after a call that an error handler or a signal handler left is recorded."""
    program = programs.build(debian_mpi, "leaves", "leaves.cpp", "tally.c")
    check(debian_mpi, [program, str(seed)], tmp_path)
    run = load(tmp_path / "run")
    for rank in range(2):
        cells = [cell for cell in run.files.data if cell["path"].decode() == str(tmp_path / f"leaves.{rank}")]
        assert [int(cell["writes"]) for cell in cells] == [25]


@pytest.mark.parametrize("rounds", [400, pytest.param(20000, marks=pytest.mark.slow)])
def test_handles_that_come_back_in_another_thread(
    debian_mpi: Mpi, programs: ProgramBuilder, rounds: int, tmp_path: Path
) -> None:
    if rounds > 10_000 and debian_mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1.4 stops at some round of so many, without Clearway as well")
    program = programs.build(debian_mpi, "recycled", "recycled.c", "tally.c")
    check(debian_mpi, [program, str(rounds)], tmp_path)


def test_cancelled_receives_take_no_message(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """The n-th message sent is the n-th that was received, and no receive is left over."""
    program = programs.build(debian_mpi, "cancelled", "cancelled.c", "tally.c")
    check(debian_mpi, [program], tmp_path)
    events = load(tmp_path / "run").events
    for process in range(2):
        for kind in (EventKind.SEND, EventKind.RECEIVE, EventKind.POSTED):
            chosen = (events.process == process) & (events.tag == 5) & (events.kind == kind)
            assert np.sort(events.seq[chosen]).tolist() == list(range(40)), kind


@pytest.mark.timeout(600)  # two hundred rounds on a busy machine
@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_jumps_out_of_the_first_calls_of_a_thread(programs: ProgramBuilder, rounds: int, tmp_path: Path) -> None:
    """What the recorder takes locks for, a thread's place in the record, is not left locked: the next would hang."""
    program = programs.build_plain("first_jumps", "first_jumps.c", flags=["-pthread"])
    for number in range(rounds):
        folder = tmp_path / f"files-{number}"
        folder.mkdir()
        record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / f"run-{number}", "--"]
        outcome = run_command([*record, program, folder, "200"], timeout_s=30)
        assert outcome.exit_code == 0, outcome.says
        assert len(load(tmp_path / f"run-{number}").processes) == 1


A_CHILD_ENDS = """
import ctypes, os, signal, sys
child = ctypes.CDLL(None)._Fork()
if child == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_of_which_nobody_was_told_does_not_end_the_record(tmp_path: Path) -> None:
    """pthread_atfork does not hear of glibc's _Fork, nor of clone: the child has its parent's record before it."""
    if not hasattr(ctypes.CDLL(None), "_Fork"):
        pytest.skip("glibc has it from 2.34 on")
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*record, sys.executable, "-c", A_CHILD_ENDS])
    assert (outcome.exit_code, outcome.stdout) == (-9, "7\n"), outcome.says
    run = load(tmp_path / "run")
    assert len(run.processes) == 1
    assert run.state_name(0) == "started"


@pytest.mark.parametrize("how", ["forks", "numbers"])
def test_a_child_of_which_nobody_was_told_is_not_recorded(how: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Another thread may hold a lock of the recorder when it is made: such a child hung as soon as it opened a file."""
    program = programs.build_plain("io_together", "io_together.c")
    folder = tmp_path / "files"
    folder.mkdir()
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*record, program, folder, how])
    assert (outcome.exit_code, outcome.stdout) == (0, "0\n"), outcome.says
    paths = {cell["path"].decode() for cell in load(tmp_path / "run").files.data}
    assert str(folder / "kept") in paths
    assert str(folder / "child") not in paths


@pytest.mark.parametrize("given", [-1, 404314895])
def test_the_exit_code_is_what_its_parent_learns(given: int, tmp_path: Path) -> None:
    """MPICH exits with the code of an error, a number beyond those that a process can end with."""
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    outcome = run_command([*record, sys.executable, "-c", f"import sys; sys.exit({given})"])
    assert load(tmp_path / "run").processes["exit_code"].tolist() == [outcome.exit_code] == [given & 0xFF]
