"""A program that cannot be started is named before anything is tried, with what to type instead."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
