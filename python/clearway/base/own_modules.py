"""Python's modules for Clearway itself, whatever the job's PYTHONPATH offers.

Modules of a cluster set it for the job's own Python: a numpy built for another one must not keep Clearway from
working.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, MutableSequence
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]  # where the package lies


def put_job_modules_last(environment: Mapping[str, str] = os.environ, path: MutableSequence[str] = sys.path) -> None:
    """What this Python was installed with comes first. Nothing changes where Clearway itself comes from PYTHONPATH."""
    told = {os.path.realpath(folder) for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder}
    if not told or str(HERE) in told:
        return
    path[:] = sorted(path, key=lambda folder: os.path.realpath(folder) in told if folder else False)
