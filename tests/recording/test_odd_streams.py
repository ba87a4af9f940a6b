"""Streams that are not files, and files that are not where their stream believes, are what they are without us."""

from __future__ import annotations

from pathlib import Path

from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command


def test_errno_and_places(programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build_plain("odd_streams", "odd_streams.c")
    plain = run_command([program, tmp_path / "plain"])
    assert plain.exit_code == 0, plain.says
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    recorded = run_command([*record, program, tmp_path / "recorded"])
    assert recorded.exit_code == 0, recorded.says
    assert recorded.lines == plain.lines
    assert (tmp_path / "recorded").read_bytes() == (tmp_path / "plain").read_bytes() == b"012more789"
