"""Only tests marked timed are tried again, not often, and not everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.tried_again import AT_MOST, NEVER

HARNESS = Path(__file__).parents[1]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(HARNESS)!r})
from harness.tried_again import TriedAgain, mark_timed

def pytest_configure(config):
    config.addinivalue_line("markers", "timed: reads the clock")
    config.pluginmanager.register(TriedAgain())

def pytest_collection_modifyitems(items):
    mark_timed(items)
"""
# Fails the first time that it is run with a name.
ONCE = """
import pytest
from pathlib import Path

def passes_later(name):
    mark = Path(__file__).parent / name
    if not mark.exists():
        mark.touch()
        pytest.fail(f"{name} was too late")
"""


def run(folder: Path, tests: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(ONCE + tests)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", str(folder), *words]
    # What this run was told on the side would change what is read here.
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, timeout=100, cwd=folder, env=environment
    )


def test_only_timed_tests(tmp_path: Path) -> None:
    tests = """
@pytest.mark.timed
def test_timed():
    passes_later("timed")

def test_other():
    passes_later("other")
"""
    outcome = run(tmp_path, tests)
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 1 passed, 1 rerun" in outcome.stdout
    assert "test_it.py::test_timed: Failed: timed was too late" in outcome.stdout
    assert "tried again: 1 (at most" in outcome.stdout


@pytest.mark.parametrize("more", [0, 1])
def test_not_too_often_over_all_workers(tmp_path: Path, more: int) -> None:
    tests = f"""
@pytest.mark.timed
@pytest.mark.parametrize("number", range({AT_MOST + more}))
def test_timed(number):
    passes_later(f"timed{{number}}")
"""
    outcome = run(tmp_path, tests, "-n", "2")
    assert f"{AT_MOST + more} passed, {AT_MOST + more} rerun" in outcome.stdout
    assert outcome.returncode == (pytest.ExitCode.TESTS_FAILED if more else pytest.ExitCode.OK), outcome.stdout
    assert (f"at most {AT_MOST} may be: the run has failed" in outcome.stdout) == bool(more)


@pytest.mark.parametrize("words", [(), ("-n", "2")], ids=["alone", "with xdist"])
@pytest.mark.parametrize("folder", sorted(NEVER))
def test_never_there(tmp_path: Path, folder: str, words: tuple[str, ...]) -> None:
    (tmp_path / folder).mkdir()
    tests = "\n@pytest.mark.timed\ndef test_timed():\n    pass\n\ndef test_other():\n    pass\n"
    outcome = run(tmp_path / folder, tests, *words)
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert f"no test in tests/{folder} may be tried again" in outcome.stdout
    assert "1 passed" in outcome.stdout
    assert "rerun" not in outcome.stdout


@pytest.mark.parametrize(("folder", "tries"), [("slurm", 1), ("launch", 0)])
def test_under_slurm_only_what_open_mpi_does_there(tmp_path: Path, folder: str, tries: int) -> None:
    tests = """
from pathlib import Path

def once(words):
    mark = Path(__file__).parent / words.replace(" ", "-")
    if not mark.exists():
        mark.touch()
        raise AssertionError(f"srun ./program\\n{words}")

def test_crash():
    once("most of it in MPI_Init. The command ended by signal 11 (SIGSEGV).")

def test_other():
    once("most of it in MPI_Init. The command ended by signal 6 (SIGABRT).")
"""
    (tmp_path / folder).mkdir()
    outcome = run(tmp_path / folder, tests)
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert f"{2 - tries} failed" in outcome.stdout
    assert ("1 rerun" in outcome.stdout) == bool(tries), outcome.stdout
    assert "FAILED" in outcome.stdout and "test_other" in outcome.stdout


def test_no_other_way(tmp_path: Path) -> None:
    outcome = run(tmp_path, "\n@pytest.mark.flaky(reruns=3)\ndef test_it():\n    pass\n")
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert "only `timed` lets a test be tried again" in outcome.stdout
    assert "rerun" not in outcome.stdout


def test_the_tests_here_ask_for_it() -> None:
    """The command line's --reruns, which would try every test again, is refused."""
    command = [sys.executable, "-m", "pytest", "-q", "--reruns", "1", "--collect-only", str(HARNESS / "crash")]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=HARNESS.parent)
    assert outcome.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--reruns would try every test again" in outcome.stderr


def test_a_job_that_was_started_again_counts(tmp_path: Path) -> None:
    tests = """
import warnings
from harness.tried_again import StartedAgainWarning

def test_it():
    warnings.warn(StartedAgainWarning("MPICH hung"))
"""
    outcome = run(tmp_path, tests, "-n", "1")
    assert "tried again: 1 (at most" in outcome.stdout
    assert "test_it.py::test_it: MPICH hung" in outcome.stdout
