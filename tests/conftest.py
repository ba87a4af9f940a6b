"""Fixtures for tests that run real MPI jobs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from harness.alone import alone
from harness.mpis import Mpi, all_mpis, mpi
from harness.programs import ProgramBuilder
from harness.seeds import FAILING
from harness.tried_again import TriedAgain, mark_timed

hypothesis.settings.register_profile(
    "clearway",
    database=hypothesis.database.DirectoryBasedExampleDatabase(FAILING / "hypothesis"),
    print_blob=True,
)
hypothesis.settings.load_profile("clearway")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-s", type=int, default=10, help="how long each of tests/fuzz runs (test-all: 600)")
    parser.addoption("--kills", type=int, default=20, help="how many jobs tests/crash kills (test-all: 200)")


def pytest_configure(config: pytest.Config) -> None:
    if getattr(config.option, "reruns", None):
        raise pytest.UsageError("--reruns would try every test again; mark those that read the clock `timed`")
    config.pluginmanager.register(TriedAgain())
    if (lone := alone()) is not None:
        config.pluginmanager.register(lone)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_timed(items)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from harness.side_by_side import SideBySide

    return SideBySide(config, log)


@pytest.fixture(scope="session", autouse=True)
def quiet_environment() -> None:
    """No settings of ours, or of a job around the tests, reach the jobs of the tests."""
    for name in list(os.environ):
        if name.startswith(
            (
                "CLEARWAY_DIR",
                "CLEARWAY_JOB",
                "CLEARWAY_TIMELINE",
                "CLEARWAY_ALWAYS",
                "CLEARWAY_FLOW",
                "CLEARWAY_IO_",
                "OMPI_",
                "PMIX_",
            )
        ):
            del os.environ[name]
    os.environ["CLEARWAY_FLOW_MEMORY"] = "off"  # no test leaves another one a hint, or the person who runs them


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ProgramBuilder:
    """Shared by xdist's processes: their temporary folders lie in one of the whole session."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "programs"
    folder.mkdir(exist_ok=True)
    return ProgramBuilder(folder)


@pytest.fixture(params=all_mpis(), ids=str)
def any_mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI in turn."""
    each: Mpi = request.param
    if each.missing:
        pytest.skip(each.missing)
    return each


@pytest.fixture(params=["openmpi-debian", "mpich-debian"])
def debian_mpi(request: pytest.FixtureRequest) -> Mpi:
    """The two MPIs of Debian, where one of each family is enough."""
    each = mpi(request.param)
    if each.missing:
        pytest.skip(each.missing)
    return each


@pytest.fixture
def open_mpi() -> Mpi:
    each = mpi("openmpi-debian")
    if each.missing:
        pytest.skip(each.missing)
    return each


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    return tmp_path / "run"
