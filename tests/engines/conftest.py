"""Inputs that several tests of engines share."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.runs import run_command


@pytest.fixture(scope="session")
def water_box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small box of water, made by the demo's own script."""
    maker = REPOSITORY / "examples" / "water" / "make-input"
    folder = tmp_path_factory.mktemp("water")
    outcome = run_command([maker, folder, "2.5"], timeout_s=100)
    assert outcome.exit_code == 0, outcome.says
    return folder / "run.tpr"
