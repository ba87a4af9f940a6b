"""The library that makes polling ranks sleep while nothing happens."""

from __future__ import annotations

import sys
from pathlib import Path

from clearway.errors import ClearwayError

LIBRARY = "libclearway-testbed-idle.so"


def find_idle_library() -> Path:
    """In the lib folder of the installation that runs: PREFIX/bin/clearway has PREFIX/lib."""
    for folder in (Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent):
        candidate = folder.parent / "lib" / LIBRARY
        if candidate.is_file():
            return candidate
    raise ClearwayError(
        f"{LIBRARY} is not beside the 'clearway' that runs ({Path(sys.argv[0]).resolve().parent.parent}/lib)",
        "install Clearway again: pip install .",
    )
