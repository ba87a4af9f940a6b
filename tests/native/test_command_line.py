"""The C++ tests of native/command_line."""

from __future__ import annotations

import pytest
from harness.cpp import run_cpp_tests


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("command_line_test", "command_line")
