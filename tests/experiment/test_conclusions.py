"""What a comparison is said to have shown: nothing that was not proved, and commands that can be pasted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from experiment.made_samples import compared, plan_of, samples_of

from clearway.experiment.comparison import Comparison, End, Verdict
from clearway.experiment.conclusions import open_ends
from clearway.experiment.fixing import what_came_back


def comparison() -> Comparison:
    return compared(plan_of("unchanged", "pin"), samples_of({"unchanged": [2, 2, 2], "pin": [1, 1, 3]}))


@pytest.mark.parametrize(
    ("verdict", "ratio", "low", "high", "said"),
    [
        (Verdict.FASTER, 0.6, 0.5, 0.7, "pin gives back 40 % (30 % to 50 %) of the wall-clock; 1 s of 2 s in all"),
        (Verdict.SLOWER, 1.2, 1.1, 1.3, "pin makes the job slower: the wall-clock takes 20 % (10 % to 30 %) more"),
        (Verdict.SAME, 1.003, 0.99, 1.01, "pin gives back nothing that counts: 0 % (-1 % to 1 %) of the wall-clock"),
        (
            Verdict.UNCLEAR,
            1.01,
            0.47,
            2.17,
            "It is not clear whether pin gives back anything: -1 % (-117 % to 53 %) of the wall-clock",
        ),
    ],
)
def test_what_came_back(verdict: Verdict, ratio: float, low: float, high: float, said: str) -> None:
    row = replace(comparison().rows[1], verdict=verdict, ratio=ratio, ratio_low=low, ratio_high=high)
    assert what_came_back(row, "the wall-clock", "1 s of 2 s in all") == said


def test_how_to_go_on_can_be_pasted(tmp_path: Path) -> None:
    stopped = replace(comparison(), directory=str(tmp_path / "my runs"), end=End.INTERRUPTED)
    (said,) = open_ends(stopped)
    assert f"`clearway compare --resume '{tmp_path}/my runs'`" in said
