"""Where another program imports Clearway (a notebook, the system's Python), its libraries are found, too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY


@pytest.mark.parametrize(
    ("packages", "libraries"),
    [("lib/python3.11/site-packages", "lib"), ("lib/python3/dist-packages", "lib/clearway/lib")],
    ids=["pip", "debian"],
)
def test_a_library_is_found_beside_the_package(tmp_path: Path, packages: str, libraries: str) -> None:
    shutil.copytree(REPOSITORY / "python/clearway", tmp_path / packages / "clearway")
    library = tmp_path / libraries / "libclearway-example.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    library.touch()
    asks = "from clearway.base.installed import find_library; print(find_library('libclearway-example.so'))"
    environment = {"PYTHONPATH": str(tmp_path / packages), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", asks], env=environment, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == library
