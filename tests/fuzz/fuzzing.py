"""What the fuzzers in Python share: Atheris, told from the command line as libFuzzer is.

    python tests/fuzz/reader.py -max_total_time=600 tests/fuzz/corpus/reader

Allowed to happen is an answer, or a ClearwayError, which a person can understand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import atheris

TESTS = Path(__file__).parents[1]
for folder in (TESTS, TESTS.parent / "python"):  # the checkout's own files are watched, not installed ones
    sys.path.insert(0, str(folder))

watched = atheris.instrument_imports(include=["clearway"])


def fuzz(run_once: Callable[[bytes], None]) -> None:
    atheris.Setup(sys.argv, run_once)
    atheris.Fuzz()
