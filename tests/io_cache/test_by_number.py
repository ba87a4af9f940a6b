"""System calls that programs make by number find files in the cache, or make them leave it."""

from __future__ import annotations

import filecmp
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


@pytest.fixture
def by_number(programs: ProgramBuilder) -> Path:
    return programs.build_plain("io_by_number", "io_by_number.c")


def test_the_same_answers_and_files(by_number: Path, cached: Cached, tmp_path: Path) -> None:
    plain, scratch = tmp_path / "plain", tmp_path / "scratch"
    plain.mkdir()
    said = run_command([by_number, plain])
    assert said.exit_code == 3, said.says
    answers = cached(by_number, scratch, folder=scratch)
    assert answers.exit_code == 3, answers.says
    assert answers.lines == said.lines
    names = sorted(path.name for path in plain.iterdir())
    assert filecmp.cmpfiles(plain, scratch, names, shallow=False)[1:] == ([], [])
    (did,) = load(tmp_path / "run").io_cache.data
    assert did["read_bytes"] > 20_000, "what was read by number came from the kernel"


def test_a_ring_reads_what_was_written(by_number: Path, cached: Cached, tmp_path: Path) -> None:
    outcome = cached(by_number, tmp_path / "scratch", "ring")
    if outcome.exit_code == 77:
        pytest.skip("there is no io_uring here")
    assert outcome.stdout.strip() == "50 of 50, same 1", outcome.says


ASKS = """
import ctypes, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
os.write(file, b'a' * 100000)
for number in (39, 102, 107, 186):  # getpid, getuid, geteuid, gettid
    ctypes.CDLL(None).syscall(number, file)
os.unlink(sys.argv[1])
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are others'")
def test_what_stands_behind_a_call_without_arguments_is_no_descriptor(cached: Cached, tmp_path: Path) -> None:
    """So does the recorder call getpid; each file of Psi4's went back to the kernel in the end."""
    outcome = cached(sys.executable, "-c", ASKS, tmp_path / "scratch" / "file")
    assert outcome.exit_code == 0, outcome.says
    assert load(tmp_path / "run").io_cache.data["left_files"].tolist() == [0]
