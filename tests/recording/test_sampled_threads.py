"""Which threads the kernel samples for us: not those that would pay for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command

from clearway.run import load

LIMIT = 3000  # switches in a second: native/recorder/profile/switches.cpp


def rings(programs: ProgramBuilder, directory: Path, kind: str, seconds: int) -> tuple[int, int]:
    """For how many of its threads the kernel samples in the end, and how often a thread got a processor in a second."""
    program = programs.build_plain("switches", "switches.c")
    record = [clearway_tool("clearway-record"), "--always", "-o", directory, "--"]
    outcome = run_command([*record, program, kind, str(seconds)])
    assert outcome.exit_code == 0, outcome.says
    if load(directory).fact("profile.errno"):
        pytest.skip("the kernel does not sample here")
    found = re.fullmatch(r"rings (\d+), switches in a second (\d+)", outcome.lines[0])
    assert found is not None
    return int(found[1]), int(found[2])


def test_one_that_computes_is(programs: ProgramBuilder, tmp_path: Path) -> None:
    assert rings(programs, tmp_path / "run", "computes", 60)[0] >= 1


def test_one_that_gets_a_processor_anew_all_the_time_is_not(programs: ProgramBuilder, tmp_path: Path) -> None:
    sampled, switches = rings(programs, tmp_path / "run", "wakes", 4)
    assert sampled == 0 or switches < 2 * LIMIT  # on a busy machine they may be slow


def test_nobody_is_ended_by_a_filter_for_asking(programs: ProgramBuilder, tmp_path: Path) -> None:
    filtered = programs.build_plain("filtered", "filtered.c")
    if run_command([filtered, "true"]).exit_code != 0:
        pytest.skip("no filters here")
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    program = programs.build_plain("switches", "switches.c")
    outcome = run_command([filtered, *record, program, "computes", "1"])
    assert outcome.exit_code == 0, outcome.says
    assert outcome.lines[0].startswith("rings 0")
    assert not load(tmp_path / "run").fact("profile.errno")
