"""Ranks in user namespaces of their own, as containers that are started one a rank make them."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from diagnosis.building import build_workload
from harness.mpis import Mpi, clearway_tool
from harness.runs import HungJobError, load_page, run_command

LARGE = "--steps 40 --compute-ms 1 --halo 4000000"


def ran(mpi: Mpi, directory: Path, *prefix: str, options: tuple[str, ...] = (), patience_s: float = 60) -> Any:
    """The page of two ranks that exchange 4 MB in each step; they are killed when they do not."""
    record = [clearway_tool("clearway-record"), "-o", directory, "--"]
    program = [*record, build_workload("openmpi"), *LARGE.split()]
    command = [*mpi.launcher, *options, "-np", "2", *prefix, *map(str, program)]
    with contextlib.suppress(HungJobError):
        run_command(command, mpi.environment, patience_s)
    return load_page(directory)


def rules(page: Any) -> list[str]:
    return [found["rule"] for found in page["findings"]]


@pytest.fixture
def apart() -> tuple[str, ...]:
    words = ("unshare", "--user", "--map-root-user")
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], check=False).returncode != 0:
        pytest.skip("needs unshare(1) and user namespaces")
    return words


@pytest.mark.timed
def test_ranks_that_may_not_read_each_others_memory(open_mpi: Mpi, apart: tuple[str, ...], tmp_path: Path) -> None:
    """Debian's Open MPI 4.1 stands still; told to do without, it works, and takes longer than it has to."""
    page = ran(open_mpi, tmp_path / "apart", *apart, patience_s=8)
    first = page["findings"][0]
    assert first["rule"] == "blocked-cma"
    assert "no-single-copy" in {remedy["id"] for remedy in first["remedies"]}
    told = ("--mca", "btl_vader_single_copy_mechanism", "none")
    page = ran(open_mpi, tmp_path / "told", *apart, options=told)
    assert "blocked-cma" in rules(page)
    page = ran(open_mpi, tmp_path / "together")
    assert "blocked-cma" not in rules(page)
