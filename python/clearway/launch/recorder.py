"""Where the native clearway-record is, and the options that a job's ranks share."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from clearway.errors import ClearwayError


def find_recorder() -> Path:
    """The absolute path of clearway-record: beside the `clearway` that runs, else on the PATH."""
    for folder in (Path(sys.argv[0]).resolve().parent, Path(sys.executable).parent):
        candidate = folder / "clearway-record"
        if candidate.is_file():
            return candidate
    found = shutil.which("clearway-record")
    if found is None:
        raise ClearwayError(
            f"clearway-record is not beside '{sys.argv[0]}' nor on the PATH", "install Clearway again: pip install ."
        )
    return Path(found).resolve()
