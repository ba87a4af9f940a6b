"""Programs with their scratch files in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    """Runs a program with the files of `folder` in a cache of `size`, recorded into `run`.

    The folder is the user's, whose files anybody may look at; or, if `own`, an engine's for its own scratch.
    """

    def run_cached(
        *command: str | Path,
        folder: Path = tmp_path / "scratch",
        size: str = "64Mi",
        timeout_s: float = 60,
        own: bool = False,
    ) -> Outcome:
        folder.mkdir(exist_ok=True)
        options = ["--io-cache", size, "--io-cache-files", f"{folder}/*", "-o", tmp_path / "run", "--always"]
        environment = {"PSI_SCRATCH": str(folder)} if own else {}
        return run_command([clearway_tool("clearway-record"), *options, "--", *command], environment, timeout_s)

    return run_cached
