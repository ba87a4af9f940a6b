"""A Run may be another user's: looking at it starts no program of theirs, and none with the variables that it names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.job.command_line import read_command
from clearway.job.launchers.openmpi import OPEN_MPI_4
from clearway.job.which_launcher import identify, identify_recorded

SOMEBODY = 12345


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """It leaves a file where the variable SPY says."""
    path = tmp_path / "bin" / "mpirun"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\n[ -z "$SPY" ] || : >"$SPY"\necho "mpirun (Open MPI) 4.1.4"\n')
    path.chmod(0o755)
    return path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file away")
def test_another_users_launcher_is_not_started(launcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = tmp_path / "started"
    monkeypatch.setenv("SPY", str(spy))
    os.chown(launcher, SOMEBODY, SOMEBODY)
    with pytest.raises(ClearwayError, match="is another user's program"):
        identify_recorded(str(launcher), {})
    assert not spy.exists()
    monkeypatch.setenv("PATH", f"{launcher.parent}:{os.environ['PATH']}")
    assert identify_recorded("mpirun", {}) is OPEN_MPI_4, "who has it on the PATH would start it anyhow"
    assert spy.exists()


def test_no_variable_of_a_recorded_line_reaches_the_launcher(
    launcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LD_PRELOAD would be enough to run anything."""
    spy = tmp_path / "started"
    monkeypatch.setenv("PATH", f"{launcher.parent}:{os.environ['PATH']}")
    command = ["env", f"SPY={spy}", "mpirun", "-np", "2", "md"]
    read_command(command, os.environ, identify_recorded)
    assert not spy.exists()
    read_command(command, os.environ, identify)
    assert spy.exists(), "what the user types is so wanted"
