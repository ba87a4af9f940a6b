"""What is sent out, as `make build` and the tools of packaging have made it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from packages.ordinary_user import OrdinaryUser, ordinary_user


def make_wheel(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command: Sequence[str | Path] = [REPOSITORY / "tools/wheel", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not list((REPOSITORY / "build/dist").glob("*.whl")):
        pytest.skip("Clearway was not built here: make build")
    made = make_wheel(tmp_path_factory.mktemp("wheel"))
    assert made.returncode == 0, made.stderr
    return Path(made.stdout.strip())


@pytest.fixture(scope="module")
def user(wheel: Path) -> OrdinaryUser:
    """Somebody with nothing but Python, an MPI, and the wheel, which is installed."""
    with ordinary_user() as somebody:
        somebody.install(wheel)
        yield somebody
