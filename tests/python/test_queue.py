"""Submitted work goes on by itself, and does not run away where tasks fail at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clearway.queue import AllAlike, advance
from clearway.queue.submission import Submission, write_submission
from clearway.queue.watch import words_of


@dataclass
class Slurm:
    """What it says of tasks, and what it was given."""

    states: dict[tuple[int, int], str] = field(default_factory=dict)
    jobs: list[list[str]] = field(default_factory=list)

    def submitted(self, options: Sequence[str], _script: object, _environment: object) -> int:
        self.jobs.append([*options])
        return 100 * len(self.jobs)

    def arrays(self) -> list[str]:
        return [word for job in self.jobs for word in job if word.startswith("--array=")]


class Four(AllAlike):
    def wanted(self) -> range:
        return range(4)

    def do(self, piece: int, _attempt: str) -> object:
        return piece

    def finish(self) -> None:
        pass


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Slurm:
    made = Slurm()
    module = sys.modules[advance.__module__]
    monkeypatch.setattr(module, "states_of", lambda jobs: made.states)
    monkeypatch.setattr(module, "submitted", made.submitted)
    return made


def test_what_failed_is_submitted_again_when_no_task_is_left(slurm: Slurm, tmp_path: Path) -> None:
    write_submission(tmp_path, Submission("predict", (), str(tmp_path)))
    advance(tmp_path, Four(), by_a_person=True)
    assert slurm.arrays() == ["--array=0-3"]
    slurm.states = {(100, 0): "OUT_OF_MEMORY", (100, 1): "RUNNING", (100, 2): "FAILED", (100, 3): "PENDING"}
    standing = advance(tmp_path, Four(), by_a_person=False)
    assert slurm.arrays() == ["--array=0-3"]
    assert words_of(standing) == ("0 of 4 done, 1 running, 1 waiting, 2 not submitted (failed, out of memory): job 100")
    slurm.states = {(100, at): "OUT_OF_MEMORY" for at in range(4)}
    advance(tmp_path, Four(), by_a_person=False)
    assert slurm.arrays() == ["--array=0-3", "--array=0-3"]


def test_a_person_may_submit_what_is_missing_beside_the_rest(slurm: Slurm, tmp_path: Path) -> None:
    write_submission(tmp_path, Submission("predict", (), str(tmp_path)))
    advance(tmp_path, Four(), by_a_person=True)
    slurm.states = {(100, 0): "FAILED", **{(100, at): "RUNNING" for at in (1, 2, 3)}}
    advance(tmp_path, Four(), by_a_person=True)
    assert slurm.arrays() == ["--array=0-3", "--array=0-0"]
