"""How a run on the testbed ended."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.testbed.counters import Counters

TIMED_OUT = 124  # as timeout(1) ends


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run. `returncode` is the launcher's, or 124 if the time limit ended the run (`timed_out`)."""

    returncode: int
    timed_out: bool
    stdout: str
    stderr: str
    counters: Counters
    wall_s: float
