"""A program that forbids itself system calls (seccomp) is not ended for one of ours, and loses nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command

WAYS = ("kills", "threads", "number", "refuses", "strict")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("who", ["recorder", "cache", "both"])
def test_goes_on_as_bare(programs: ProgramBuilder, tmp_path: Path, way: str, who: str) -> None:
    if way == "number" and (os.geteuid() != 0 or who != "cache"):
        pytest.skip("needs rights; and the recorder does not hear of the number alone")
    program = programs.build_plain("sandboxed", "sandboxed.c")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    bare = run_command([program, tmp_path / "bare", way], timeout_s=20)
    if bare.exit_code == 4:
        pytest.skip("no filters here")
    record = [clearway_tool("clearway-record"), "-o", tmp_path / "run"]
    cache = ["--io-cache", "64Mi", "--io-cache-files", f"{scratch}/*"] if who != "recorder" else []
    always = ["--always"] if who != "cache" else []
    outcome = run_command([*record, *always, *cache, "--", program, scratch / "file", way], timeout_s=20)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (bare.exit_code, bare.stdout, bare.stderr)
    assert (scratch / "file").read_bytes() == (tmp_path / "bare").read_bytes()
    if who != "cache":
        [note] = [note for note in load_page(tmp_path / "run")["job"]["notes"] if "seccomp" in note]
        assert note.endswith("switched on a filter of system calls (seccomp): what came after that is not recorded.")
