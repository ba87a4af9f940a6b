"""A program that begins without a standard error may have a file of its own at that number: we say nothing there."""

from __future__ import annotations

from pathlib import Path

from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_job


def test_no_words_in_a_file(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "no_standard_error", "no_standard_error.c")
    record = f"{clearway_tool('clearway-record')} --flow -o {tmp_path}/run --"
    script = tmp_path / "closed.sh"
    script.write_text(f"#!/bin/sh\nexec 2>&-\nexec {record} {program} {tmp_path}/results\n")
    script.chmod(0o755)
    outcome = run_job(open_mpi, [script], environment={"CLEARWAY_FLOW_ALGORITHM": "nonsense"})
    assert (outcome.exit_code, outcome.stdout) == (0, ""), outcome.says
    assert [(tmp_path / f"results.{rank}").read_text() for rank in range(2)] == ["results"] * 2
