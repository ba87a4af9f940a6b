"""tiny-calls and vain-polls: far more calls than what they do needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import Rank, world, write_all

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.rules import tiny_calls, vain_polls
from clearway.run import load

CALLS, EACH_S = 2_000, 1e-3


def reducing(directory: Path, pause_s: float = 1e-6, nbytes: int = 8, sizes: tuple[int, ...] = (CALLS, CALLS)) -> Case:
    """Two ranks make reductions of a number, one after the other."""
    ranks = world(2)
    for rank, calls in zip(ranks, sizes, strict=True):
        for number in range(calls):
            begin_s = 1 + number * (EACH_S + pause_s)
            rank.collective("MPI_Allreduce", begin_s, begin_s + EACH_S, nbytes=nbytes, seq=number)
    return open_case(load(write_all(ranks, directory)))


def storming(directory: Path, costs: bool) -> Case:
    """Without cost, the ranks compute between two of them."""
    return reducing(directory, 1e-6 if costs else 1e-3)


def test_what_one_call_in_their_place_would_spare_is_claimed(tmp_path: Path) -> None:
    found = tiny_calls.examine(storming(tmp_path, costs=True))
    assert found is not None
    assert sum(found.claims.values()) == pytest.approx(2 * (CALLS - 1) * EACH_S, rel=0.01)
    assert "A rank called MPI_Allreduce 2,000 times with 8 B on average" in found.says


@pytest.mark.parametrize(("pause_s", "nbytes", "calls"), [(1e-4, 8, CALLS), (1e-6, 4_000, CALLS), (1e-6, 8, 900)])
def test_not_of_calls_with_work_between_of_large_ones_or_of_few(
    tmp_path: Path, pause_s: float, nbytes: int, calls: int
) -> None:
    assert tiny_calls.examine(reducing(tmp_path, pause_s, nbytes, (calls, calls))) is None


def test_barriers_have_no_numbers(tmp_path: Path) -> None:
    ranks = world(2)
    for rank in ranks:
        for number in range(CALLS):
            rank.collective("MPI_Barrier", 1 + number * EACH_S, 1 + (number + 1) * EACH_S, seq=number)
    found = tiny_calls.examine(open_case(load(write_all(ranks, tmp_path))))
    assert found is not None
    assert "One barrier does what several in a row do" in found.says
    assert "array" not in found.says


def asking(directory: Path, costs: bool, asked_s: float = 4.0, count: int = 10_000_000) -> Case:
    """Two ranks look for messages between pieces of work, in 4 of 10 s, or seldom."""
    ranks = [Rank(number, 2, end_s=10.0) for number in range(2)]
    for rank in ranks:
        rank.cell("MPI_Iprobe", asked_s if costs else 0.02, count=count if costs else count // 200)
    return open_case(load(write_all(ranks, directory)))


def test_what_asking_less_often_would_spare_is_claimed(tmp_path: Path) -> None:
    found = vain_polls.examine(asking(tmp_path, costs=True))
    assert found is not None
    assert found.claims["transfer_s"] == pytest.approx(2 * 0.9 * 4.0, rel=0.01)
    assert "called MPI_Iprobe and the like 10.0 M times, 400 ns each" in found.says


def test_a_loop_that_only_waits_spares_nothing(tmp_path: Path) -> None:
    assert vain_polls.examine(asking(tmp_path, costs=True, asked_s=9.8, count=40_000_000)) is None
