"""What a site, a module or a daemon may have set: the job runs, and ends as it would without us."""

from __future__ import annotations

import argparse
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool
from harness.runs import run_command

from clearway.base.apart import done_apart
from clearway.base.errors import ClearwayError
from clearway.commands import run
from clearway.job.foreground import run_in_foreground

CLEARWAY = str(clearway_tool("clearway"))
PYTHONS_LIBRARIES = (
    "libz.so.1",
    "libcrypto.so.3",
    "libssl.so.3",
    "libffi.so.8",
    "libexpat.so.1",
    "liblzma.so.5",
    "libbz2.so.1.0",
    "libuuid.so.1",
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libgfortran.so.5",
)


def test_libraries_that_python_cannot_load(tmp_path: Path) -> None:
    """A module of an old compiler, or half an environment of Conda, on LD_LIBRARY_PATH."""
    (tmp_path / "lib").mkdir()
    for name in PYTHONS_LIBRARIES:
        (tmp_path / "lib" / name).write_text("not a library\n")
    environment = {"LD_LIBRARY_PATH": str(tmp_path / "lib")}
    command = [CLEARWAY, "run", "-o", "run", "--", "sh", "-c", "echo ran; exit 3"]
    outcome = run_command(command, environment, 50, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (3, "ran\n"), outcome.says
    assert list((tmp_path / "run").glob("rank.*.cwr")), outcome.says


def test_what_nobody_thought_of_does_not_keep_the_job_from_running(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ImportError("libz.so.1: file too short")

    monkeypatch.setattr(run, "_prepared", broken)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert run.run(argparse.Namespace(command=["--", "sh", "-c", "echo ran; exit 3"])) == 3
    said = capfd.readouterr()
    assert said.out == "ran\n"
    assert said.err.startswith("clearway: 'sh' runs without Clearway: libz.so.1: file too short\nhint: ")


def test_a_wrong_setting_of_a_module_does_not_keep_a_batch_job_from_running(tmp_path: Path) -> None:
    setting = {"CLEARWAY_IO_CACHE": "much"}
    command = [CLEARWAY, "run", "-o", "run", "--", "sh", "-c", "echo ran; exit 3"]
    outcome = run_command(command, {**setting, "SLURM_JOB_ID": "7"}, 50, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (3, "ran\n"), outcome.says
    assert "runs without Clearway: 'much' is not a size" in outcome.stderr
    outcome = run_command(command, setting, 50, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (1, ""), "who is there can mend it"


def test_sigchld_may_be_ignored(tmp_path: Path) -> None:
    """As some daemons and containers start what they start: the kernel then tells nobody of the end of a child."""
    command = f"trap '' CHLD; exec {CLEARWAY} run -q -o run -- sh -c 'echo ran; exit 3'"
    outcome = run_command(["bash", "-c", command], {}, 20, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (3, "ran\n"), outcome.says


def test_what_ends_the_look_back_does_not_change_the_end_of_the_job(tmp_path: Path) -> None:
    """numpy's OpenBLAS ends its process where it finds no memory."""
    assert done_apart(lambda: "ünïcode\udcff") == "ünïcode\udcff"
    assert done_apart(lambda: os._exit(1)) == ""
    assert done_apart(lambda: str(1 // 0)) == ""
    command = f"ulimit -d 20000; exec {CLEARWAY} run -q -o run -- sh -c 'echo ran; exit 3'"
    outcome = run_command(["bash", "-c", command], {}, 50, tmp_path)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (3, "ran\n", ""), outcome.says


def test_an_error_of_who_is_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise ClearwayError("no", "yes")

    monkeypatch.setattr(run, "_prepared", refused)
    for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "SGE_TASK_ID", "FLUX_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ClearwayError, match="no"):
        run.run(argparse.Namespace(command=["true"]))


def test_another_thread_of_ours_may_take_the_word_of_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    spawn, over = os.posix_spawnp, threading.Event()

    def slowly(*words: Any, **named: Any) -> int:
        pid = spawn(*words, **named)
        time.sleep(0.3)  # the job ends before anybody waits for it
        return pid

    monkeypatch.setattr(os, "posix_spawnp", slowly)
    thread = threading.Thread(target=over.wait)
    thread.start()
    try:
        assert run_in_foreground(["sh", "-c", "exit 3"], os.environ).code == 3
    finally:
        over.set()
        thread.join()
