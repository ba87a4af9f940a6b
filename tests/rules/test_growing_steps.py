"""growing-steps: each step computes longer than the one before, or does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import growing_steps, load_imbalance
from clearway.run import load

STEPS, FIRST_S = 240, 0.01


def stepping(directory: Path, *lengths: Callable[[int], float], steps: int = STEPS) -> Case:
    """Each rank computes as long in a step as its function says, then all meet."""
    ranks, begin_s = world(len(lengths)), 1.0
    for step in range(steps):
        own_s = [length(step) for length in lengths]
        for rank, seconds in zip(ranks, own_s, strict=True):
            rank.collective("MPI_Allreduce", begin_s + seconds, begin_s + max(own_s) + 1e-4, seq=step)
        begin_s += max(own_s) + 1e-4
    for rank in ranks:
        rank.end_s = begin_s
    return open_case(load(write_all(ranks, directory)))


def rising(step: int) -> float:
    return FIRST_S * (1 + 3 * step / STEPS)


def level(step: int) -> float:
    return FIRST_S + 0 * step


def growing(directory: Path, costs: bool) -> Case:
    length = rising if costs else level
    return stepping(directory, length, length)


def test_what_is_above_the_first_steps_is_claimed(tmp_path: Path) -> None:
    found = growing_steps.examine(growing(tmp_path, costs=True))
    assert found is not None
    first_s = FIRST_S * (1 + 3 / 8)  # the mean of the first quarter
    above_s = sum(max(rising(step) - first_s, 0) for step in range(STEPS))
    assert found.claims["compute_s"] == pytest.approx(2 * above_s, rel=0.03)  # nothing of the second before them
    assert "in the first quarter of the job" in found.says


@pytest.mark.parametrize(
    "length",
    [
        pytest.param(lambda step: FIRST_S * (1 if step < STEPS / 2 else 3), id="two phases"),
        pytest.param(lambda step: FIRST_S * (1 + 2 * (step % 60) / 60), id="again and again"),
        pytest.param(lambda step: FIRST_S * (1 + 0.3 * step / STEPS), id="a little"),
        pytest.param(lambda step: FIRST_S * (4 - 3 * step / STEPS), id="ever shorter"),
        pytest.param(lambda step: FIRST_S * (50 if step in (200, 201, 230) else 1), id="a few long ones"),
    ],
)
def test_nothing_is_said_of_other_changes(tmp_path: Path, length: Callable[[int], float]) -> None:
    assert growing_steps.examine(stepping(tmp_path, length, length)) is None


def test_of_one_rank_load_imbalance_tells(tmp_path: Path) -> None:
    case = stepping(tmp_path, rising, level, level)
    assert growing_steps.examine(case) is None
    found = load_imbalance.examine(case)
    assert found is not None
    assert "Its steps take longer and longer" in found.says
    assert diagnose(case)[0].finding.rule == "load-imbalance"


def test_too_few_steps_tell_nothing(tmp_path: Path) -> None:
    assert growing_steps.examine(stepping(tmp_path, rising, rising, steps=100)) is None
