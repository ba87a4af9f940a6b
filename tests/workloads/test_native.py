"""The C++ tests of native/workload."""

from __future__ import annotations

import pytest
from harness.cpp import run_cpp_tests


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("workload_test", "workload")
