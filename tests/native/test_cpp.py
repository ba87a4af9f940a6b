"""The C++ tests of the rooms that have no folder of their own here."""

from __future__ import annotations

import pytest
from harness.cpp import run_cpp_tests


@pytest.mark.timeout(900)
@pytest.mark.parametrize("room", ["command_line", "launcher", "old_glibc", "recorder", "run_record"])
def test_room(room: str) -> None:
    run_cpp_tests(f"{room}_test", room)
