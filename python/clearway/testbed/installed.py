"""The testbed's native helpers, in the installation that runs: PREFIX/bin/clearway has PREFIX/lib."""

from __future__ import annotations

import sys
from pathlib import Path

from clearway.errors import ClearwayError


def find_idle_library() -> Path:
    """What makes polling ranks sleep while nothing happens."""
    return _find("lib/libclearway-testbed-idle.so")


def find_delay_program() -> Path:
    """What gives cables a length."""
    return _find("bin/clearway-testbed-delay")


def _find(path: str) -> Path:
    prefixes = [Path(program).parent.parent for program in (Path(sys.argv[0]).resolve(), sys.executable)]
    for prefix in prefixes:
        if (prefix / path).is_file():
            return prefix / path
    raise ClearwayError(f"there is no {path} in {prefixes[0]}", "install Clearway again: pip install .")
