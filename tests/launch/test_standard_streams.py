"""Standard output and error that are closed, full, or nobody reads; names that no terminal shows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from odd_runs.test_odd_runs import RECORDED

from clearway.base.pasted import pasted

CLEARWAY = str(clearway_tool("clearway"))
RUN = RECORDED / "waits"
COMMANDS = {
    "report": ["report", RUN],
    "json": ["report", RUN, "--json", "-"],
    "list": ["list", RECORDED],
    "help": ["--help"],
    "explain": ["explain"],
}


def in_shell(line: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Of bash, for a closed stream has no name in Python. `clearway` is ours."""
    script = f'clearway() {{ {shlex.quote(CLEARWAY)} "$@"; }}\n{line}'
    return subprocess.run(["bash", "-c", script], cwd=directory, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_said(command: str, tmp_path: Path) -> None:
    said = in_shell(f"clearway {shlex.join(map(str, COMMANDS[command]))} >/dev/full", tmp_path)
    assert said.returncode == 1
    assert said.stderr.splitlines() == [
        "error: cannot write to standard output: No space left on device",
        "",
        "hint: free some space, or choose another place",
    ]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ends", [">&-", "| true"])
def test_what_nobody_reads_is_no_fault(command: str, ends: str, tmp_path: Path) -> None:
    said = in_shell(f"set -o pipefail; clearway {shlex.join(map(str, COMMANDS[command]))} {ends}", tmp_path)
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_the_jobs_output_and_exit_code_are_its_own(stderr: str, tmp_path: Path) -> None:
    """A message of ours that has nowhere to go goes nowhere."""
    said = in_shell(f"clearway run -o run -- sh -c 'echo results; exit 3' {stderr}", tmp_path)
    assert (said.returncode, said.stdout) == (3, "results\n")
    assert list((tmp_path / "run").glob("rank.*.cwr"))


@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_an_error_that_cannot_be_said_is_one_all_the_same(stderr: str, tmp_path: Path) -> None:
    said = in_shell(f"clearway report nowhere {stderr}", tmp_path)
    assert (said.returncode, said.stdout) == (1, "")


def test_a_folder_for_temporary_files_that_is_not_there(tmp_path: Path) -> None:
    """Also not the usual ones, which Python tries next."""
    program = (
        "import tempfile; tempfile.tempdir = '/nowhere'; from clearway.commands import main; raise SystemExit(main())"
    )
    words = [sys.executable, "-c", program, "predict", "--workload", "gromacs", "--hosts", "2", "--no-cache"]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (said.returncode, "Traceback" in said.stderr) == (1, False)
    assert "error: cannot use /nowhere/clearway-predict-" in said.stderr
    assert "TMPDIR" in said.stderr


@pytest.mark.parametrize(
    ("name", "word"),
    [
        (b"run-1", "run-1"),
        (b"my run", "'my run'"),
        (b"-o", "./-o"),
        (b"a\nb", "$'a\\x0ab'"),
        (b"it's\xff", "$'it\\x27s\\xff'"),
        ("日本".encode(), "'日本'"),
    ],
)
def test_the_command_that_is_shown_can_be_pasted(name: bytes, word: str, tmp_path: Path) -> None:
    assert pasted(os.fsdecode(name)) == word
    (tmp_path / os.fsdecode(name)).mkdir()
    listed = subprocess.run(["bash", "-c", f"ls -d {word}/."], cwd=tmp_path, capture_output=True, timeout=10)
    assert listed.returncode == 0


def test_it_is_shown_when_the_job_has_ended(tmp_path: Path) -> None:
    said = in_shell("clearway run --output=$'-a\\nb' -- true", tmp_path)
    assert said.returncode == 0
    assert "see `clearway report $'./-a\\x0ab'`" in said.stderr
    assert in_shell("clearway report $'./-a\\x0ab'", tmp_path).returncode == 0
