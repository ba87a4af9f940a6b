"""The C++ tests of native/collectives."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY


@pytest.mark.timeout(900)
def test_cpp() -> None:
    """Builds and runs every *_test.cpp beside the files it tests; what is built already stays built."""
    if shutil.which("cmake") is None or not list(Path("/usr").glob("lib*/**/libgtest.a")):
        pytest.skip("needs cmake and GoogleTest (Debian package libgtest-dev)")
    build = REPOSITORY / "build" / "flow-tests"
    for command in (
        ["cmake", "-S", REPOSITORY, "-B", build, "-DCLEARWAY_TESTS=ON"],
        ["cmake", "--build", build, "--target", "flow_test", "--parallel", "2"],
        [build / "native" / "collectives" / "flow_test", "--gtest_brief=1"],
    ):
        result = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
        assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
