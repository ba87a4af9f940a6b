"""The C++ tests of native/io_cache."""

from __future__ import annotations

import pytest
from harness.cpp import run_cpp_tests


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("io_cache_test", "io_cache")
