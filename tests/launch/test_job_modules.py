"""A job's PYTHONPATH is for the job: modules that it offers must not be taken for Clearway's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from clearway.base.own_modules import HERE, put_job_modules_last


def test_what_a_job_offers_comes_last() -> None:
    path = ["", "/apps/numpy", "/usr/lib/python3", "/apps/scipy"]
    put_job_modules_last({"PYTHONPATH": "/apps/numpy:/apps/scipy:"}, path)
    assert path == ["", "/usr/lib/python3", "/apps/numpy", "/apps/scipy"]


def test_nothing_changes_without_it_or_where_clearway_comes_from_it() -> None:
    path = [str(HERE), "/apps/numpy", "/usr/lib/python3"]
    for told in ("", f"/apps/numpy:{HERE}"):
        put_job_modules_last({"PYTHONPATH": told}, path)
        assert path == [str(HERE), "/apps/numpy", "/usr/lib/python3"]


def test_a_broken_numpy_of_the_job_is_no_obstacle(tmp_path: Path) -> None:
    """As one for another Python is; the job still gets it."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise ImportError('built for another Python')\n")
    program = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); sys.argv = ['clearway', '--version']; "
        "from clearway.commands import main; main(); import numpy; print(os.environ['PYTHONPATH'])"
    )
    probe = [sys.executable, "-c", program, str(HERE)]
    ran = subprocess.run(
        probe, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == str(tmp_path)
