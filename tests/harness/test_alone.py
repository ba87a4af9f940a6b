"""What is tried again runs alone, and so does what is marked so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[1]
CONFTEST = f"""
import sys
sys.path.insert(0, {str(HARNESS)!r})
from harness.alone import alone
from harness.tried_again import mark_timed

def pytest_configure(config):
    config.addinivalue_line("markers", "timed: reads the clock")
    config.addinivalue_line("markers", "alone: no test runs beside it")
    if (lone := alone()) is not None:
        config.pluginmanager.register(lone)

def pytest_collection_modifyitems(items):
    mark_timed(items)
"""
# Each test leaves a mark while it runs; the one that is tried again fails for as long as it sees another's.
TESTS = """
import pytest, time
from pathlib import Path

HERE = Path(__file__).parent

class Running:
    def __init__(self, name):
        self.mark = HERE / f"{name}.running"
    def __enter__(self):
        self.mark.touch()
    def __exit__(self, *_):
        self.mark.unlink()

def others(name):
    return [each.name for each in HERE.glob("*.running") if each.name != f"{name}.running"]

@pytest.mark.timed
def test_timed():
    tries = len(list(HERE.glob("try*")))
    (HERE / f"try{tries}").touch()
    if tries == 0:
        pytest.fail("too late")
    with Running("timed"):
        for _ in range(20):
            assert not others("timed")
            time.sleep(0.05)

@pytest.mark.alone
@pytest.mark.parametrize("number", range(3))
def test_alone(number):
    with Running(f"alone{number}"):
        for _ in range(4):
            assert not others(f"alone{number}")
            time.sleep(0.05)

@pytest.mark.parametrize("number", range(20))
def test_beside(number):
    with Running(f"beside{number}"):
        time.sleep(0.3)
"""


@pytest.mark.parametrize(
    "workers", [pytest.param((), marks=pytest.mark.slow), ("-n", "2")], ids=["one process", "two workers"]
)
def test_a_second_try_has_no_test_beside_it(tmp_path: Path, workers: tuple[str, ...]) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", str(tmp_path), *workers]
    # A run of its own, whatever run this test is part of.
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    outcome = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, timeout=100, cwd=tmp_path, env=around
    )
    assert outcome.returncode == pytest.ExitCode.OK, outcome.stdout
    assert "24 passed, 1 rerun" in outcome.stdout
