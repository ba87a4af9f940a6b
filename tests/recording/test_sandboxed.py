"""A program that forbids itself system calls (seccomp) is not ended for one of ours, and loses nothing."""

from __future__ import annotations

import os
import shutil
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


def test_what_starts_in_a_box_without_our_library_is_not_told_to_load_it(tmp_path: Path) -> None:
    """Bubblewrap gives up rights for good, as who sets a filter does, and sets none."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    folders = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    for more in ([], ["--proc", "/proc"]):
        box = ["bwrap", "--ro-bind", "/usr", "/usr", *folders, *more, "sh", "-c", "echo in it; ls /bin/sh"]
        bare = run_command(box, timeout_s=20)
        if bare.exit_code != 0:
            pytest.skip("no namespaces for this user")
        outcome = run_command([clearway_tool("clearway-record"), "-o", tmp_path / "run", "--always", "--", *box])
        assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, bare.stdout, bare.stderr)
