"""A program that cannot be started is named before anything is tried, with what to type instead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness.command_line import run_clearway

from clearway.base.errors import ClearwayError
from clearway.job.can_start import check_can_start
from clearway.job.recorded_command import find_programs


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.sh").write_text("#!/bin/sh\n")
    Path("program").write_bytes(b"\x7fELF")
    Path("executable").write_text("#!/bin/sh\n")
    Path("executable").chmod(0o755)


def check(*words: str) -> None:
    check_can_start(find_programs(words, os.environ), os.environ)


@pytest.mark.parametrize(
    ("word", "message", "hint"),
    [
        ("job.sh", "'job.sh' is not on the PATH", "bash ./job.sh"),
        ("./job.sh", "'./job.sh' may not be executed", "bash ./job.sh"),
        ("program", "'program' is not on the PATH", "chmod +x ./program"),
        ("executable", "'executable' is not on the PATH", "type ./executable"),
        ("no-such-program", "there is no program 'no-such-program' on the PATH", "environment module"),
        ("./no-such-program", "there is no program './no-such-program'", "the working folder is"),
        ("../", "'../' is a folder", "name the program"),
    ],
)
def test_what_to_type_is_said(word: str, message: str, hint: str) -> None:
    with pytest.raises(ClearwayError) as told:
        check(word, "an argument")
    assert told.value.message == message
    assert hint in str(told.value.hint)


@pytest.mark.parametrize(
    "words", [("true",), ("./executable",), ("bash", "job.sh"), ("timeout", "5", "no-such-program")]
)
def test_the_others_are_started(words: tuple[str, ...]) -> None:
    check(*words)


def test_a_comparison_tries_no_run(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "clearway", "compare", "--bare", "job.sh"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "'job.sh' is not on the PATH" in done.stderr
    assert not list(tmp_path.glob("clearway-*"))


@pytest.mark.parametrize("words", [("run",), ("compare", "--bare"), ("tune",), ("fix", "--rounds", "3")])
def test_what_only_submits_is_not_started(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each run of a race would be a job in the queue."""
    submitter = tmp_path / "bin" / "sbatch"
    submitter.parent.mkdir()
    submitter.write_text(f"#!/bin/sh\necho >> {tmp_path}/submitted\n")
    submitter.chmod(0o755)
    monkeypatch.setenv("PATH", f"{submitter.parent}", prepend=":")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    before = {*tmp_path.iterdir()}
    said = run_clearway(*words, "--", "sbatch", "job.sh")
    assert said.exit_code == 1
    assert said.stderr.startswith("error: 'sbatch' only submits a job, and ends before that begins\n\nhint: put ")
    assert {*tmp_path.iterdir()} == before


def test_a_batch_job_may_submit_the_next_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It must not fail for Clearway; nothing of it is recorded."""
    submitter = tmp_path / "sbatch"
    submitter.write_text("#!/bin/sh\necho ${LD_PRELOAD:-alone} > submitted\n")
    submitter.chmod(0o755)
    environment = {**os.environ, "SLURM_JOB_ID": "7", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment.pop("LD_PRELOAD", None)
    words = [sys.executable, "-m", "clearway", "run", "--", "sbatch", "job.sh"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, Path("submitted").read_text()) == (0, "alone\n")
    assert "'sbatch' runs without Clearway" in done.stderr
    assert not [*tmp_path.glob("clearway-*")]
