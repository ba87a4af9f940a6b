"""The library that makes polling ranks sleep while nothing happens."""

from __future__ import annotations

import sys
from pathlib import Path

LIBRARY = "libclearway-testbed-idle.so"


def find_idle_library() -> Path | None:
    """Beside libclearway.so; None in a checkout that was not built."""
    for folder in (Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent):
        candidate = folder.parent / "lib" / LIBRARY
        if candidate.is_file():
            return candidate
    return None
