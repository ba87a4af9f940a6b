"""Short lists of names and numbers, there and back."""

from __future__ import annotations

import pytest
from cluster.clusters import patient
from hypothesis import given
from hypothesis import strategies as st

from clearway.base.errors import ClearwayError
from clearway.base.ranges import names, numbers, short_names, short_numbers


@patient
@given(st.lists(st.integers(0, 300), min_size=1))
def test_numbers_come_back(values: list[int]) -> None:
    assert numbers(short_numbers(values)) == values


@patient
@given(st.lists(st.from_regex(r"[a-z]{1,3}[0-9]{0,3}(-ib)?", fullmatch=True), min_size=1))
def test_names_come_back(values: list[str]) -> None:
    assert names(short_names(values)) == values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node[01-03,07]", ["node01", "node02", "node03", "node07"]),
        ("node[09-11],gpu[1-2]", ["node09", "node10", "node11", "gpu1", "gpu2"]),
        ("r[1-2]n[8-9]", ["r1n8", "r1n9", "r2n8", "r2n9"]),
        ("tiger, lion", ["tiger", "lion"]),
    ],
)
def test_names_as_slurm_writes_them(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_what_is_shortened() -> None:
    assert short_names([f"node{at:02}" for at in (1, 2, 3, 8)]) == "node[01-03,08]"
    assert short_numbers(range(0, 64, 4)) == "0-60:4"
    assert short_numbers([0, 1, 5, 3]) == "0-1,5,3"


@pytest.mark.parametrize("text", ["node[1-", "node[1-3]]", "node[3-1]", "node[a]", "n[1-9][0-9][0-9][0-9][0-9][0-9]"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ClearwayError):
        names(text)


def test_many_names_and_numbers_take_no_longer_each_than_few() -> None:
    """Of 200,000 that no range shortens. To compare each with all that follow takes longer than a test may."""
    scattered = [number * (number + 1) // 2 for number in range(200_000)]
    assert numbers(short_numbers(scattered)) == scattered
    named = [f"node{number}-{number}x" for number in scattered]
    assert names(short_names(named)) == named


@pytest.mark.parametrize("text", ["9" * 5000, "0-" + "9" * 5000, "0-8:" + "9" * 400, "²", "\u0661-\u0663"])
def test_figures_that_are_no_number_here(text: str) -> None:
    """Python's `int` refuses thousands of figures with an error of its own, and takes those of other scripts."""
    with pytest.raises(ClearwayError, match="neither a number nor a range"):
        numbers(text)
