"""The C++ tests: every *_test.cpp beside the files it tests, in one build for all of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.mpis import REPOSITORY

BUILD = REPOSITORY / "build" / "cpp-tests"  # what is built already stays built


def run_cpp_tests(target: str, room: str) -> None:
    """Builds and runs the tests of native/`room`."""
    if shutil.which("cmake") is None or not list(Path("/usr").glob("lib*/**/libgtest.a")):
        pytest.skip("needs cmake and GoogleTest (Debian package libgtest-dev)")
    for command in (
        ["cmake", "-S", REPOSITORY, "-B", BUILD, "-DCLEARWAY_TESTS=ON"],
        ["cmake", "--build", BUILD, "--target", target, "--parallel", "2"],
        [BUILD / "native" / room / target, "--gtest_brief=1"],
    ):
        result = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
        assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
