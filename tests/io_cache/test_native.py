"""The C++ tests of the I/O cache."""

from __future__ import annotations

from harness.cpp import run_cpp_tests


def test_the_store_and_its_policies() -> None:
    run_cpp_tests("io_cache_test", "io_cache")
