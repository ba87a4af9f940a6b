"""The recorder asks the host about itself first. While the host takes long to answer, the rank does not compute."""

from __future__ import annotations

from pathlib import Path

from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command

SLOW_S = 1.5


def test_what_the_host_takes_to_answer_is_no_computing(programs: ProgramBuilder, tmp_path: Path) -> None:
    slow = programs.build_plain("slow_interfaces.so", "slow_interfaces.c", flags=["-ldl"], shared=True)
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    command = ["env", f"LD_PRELOAD={slow}", f"SLOW_S={SLOW_S}", *record, "true"]
    assert run_command(command).exit_code == 0
    ledger = load_page(tmp_path / "run")["ledger"]
    assert ledger["other_s"] > 0.9 * SLOW_S
    assert ledger["compute_s"] < 0.5 * SLOW_S
