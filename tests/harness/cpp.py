"""The C++ tests: every *_test.cpp beside the files it tests, in one build for all of them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.mpis import REPOSITORY

WHEEL = REPOSITORY / "build" / "wheel"  # what `make build` has compiled, the tests are linked with
OWN = REPOSITORY / "build" / "cpp-tests"  # where Clearway was not built from here


def run_cpp_tests(target: str, room: str) -> None:
    """Builds and runs the tests of native/`room`."""
    if shutil.which("cmake") is None or not list(Path("/usr").glob("lib*/**/libgtest.a")):
        pytest.skip("needs cmake and GoogleTest (Debian package libgtest-dev)")
    at_once = "1" if "PYTEST_XDIST_WORKER" in os.environ else "2"  # the other core is for the other tests
    build = WHEEL if (WHEEL / "CMakeCache.txt").exists() else OWN
    build.mkdir(parents=True, exist_ok=True)
    with (build / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two builds in one folder at a time break each other's files
        run(["cmake", "-S", REPOSITORY, "-B", build, "-DCLEARWAY_TESTS=ON"])
        run(["cmake", "--build", build, "--target", target, "--parallel", at_once])
    run([build / "native" / room / target, "--gtest_brief=1"])


def run(command: Sequence[str | Path]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
