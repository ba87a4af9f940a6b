"""Recording programs without MPI: what their record says of files, connections and the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import clearway_tool
from harness.runs import Outcome, run_command

from clearway.run import load
from clearway.run.run import Run


@dataclass(frozen=True)
class Recorded:
    """A program's outcome and its record."""

    outcome: Outcome
    run: Run

    def file(self, path: Path) -> dict[str, int]:
        """The cell of `path` in the record of the program itself (its children have records of their own)."""
        cells = self.run.files.data[self.run.files.process == self.process]
        found = [cell for cell in cells if cell["path"].decode() == str(path)]
        assert len(found) == 1, f"{len(found)} cells of {path}"
        return {name: int(found[0][name]) for name in found[0].dtype.names if name != "path"}

    @property
    def process(self) -> int:
        """Index of the process that started first."""
        starts = [int(record.header["start"]["monotonic_ns"]) for record in self.run.records]
        return starts.index(min(starts))

    @property
    def seconds_per_tick(self) -> float:
        return float(self.run.processes["seconds_per_tick"][self.process])

    def thread(self) -> Any:
        """The main thread's cell."""
        return self.run.threads.data[self.process]


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Recorded]:
    """Runs a program in the folder `work` of the test, recorded into `run`."""

    def run_recorded(*command: str | Path, prefix: tuple[str, ...] = ()) -> Recorded:
        (tmp_path / "work").mkdir(exist_ok=True)
        words = [*prefix, clearway_tool("clearway-record"), "-o", tmp_path / "run", "--", *command]
        outcome = run_command(words, {"CLEARWAY_ALWAYS": "1"}, 60, tmp_path / "work")
        return Recorded(outcome, load(tmp_path / "run"))

    return run_recorded
