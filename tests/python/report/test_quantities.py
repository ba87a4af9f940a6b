"""Figures as people read them."""

from __future__ import annotations

import math

import pytest

from clearway.base import quantities as q


@pytest.mark.parametrize(
    ("value", "text"),
    [(61.2, "61.2 s"), (0.0381, "38.1 ms"), (3.8e-5, "38.0 µs"), (1234.5, "1,234 s"), (0, "0 s"), (None, "–"),
     (math.nan, "–"), (0.9999, "1.00 s"), (-0.25, "-250 ms"), (1e-12, "0 s")],
)  # fmt: skip
def test_seconds(value: float | None, text: str) -> None:
    assert q.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 B"), (999, "999 B"), (1000, "0.98 KiB"), (1 << 20, "1.00 MiB"), (None, "–")]
)
def test_bytes(value: float | None, text: str) -> None:
    assert q.bytes_(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0, 0, "0 B"), (1, 1, "1 B"), (4, 7, "4 – 8 B"), (512, 1023, "0.5 – 1 KiB"), (65536, 131071, "64 – 128 KiB"),
     (256, 4095, "256 B – 4 KiB"), (1 << 63, (1 << 64) - 1, "8 – 16 EiB")],
)  # fmt: skip
def test_size_range(low: int, high: int, text: str) -> None:
    assert q.size_range(low, high) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(1, 3, "33 %"), (1, 300, "< 1 %"), (0, 3, ""), (1, 1e9, ""), (1, 0, "")]
)
def test_whole_percent(part: float, whole: float, text: str) -> None:
    assert q.whole_percent(part, whole) == text


def test_printed_parts_add_up_to_the_printed_total() -> None:
    thirds = q.apportioned([1 / 3, 1 / 3, 1 / 3], 1.0, 2)
    assert sorted(round(100 * part) for part in thirds) == [33, 33, 34]
    with_residue = q.apportioned([0.504, 0.504, -0.008], 1.0, 2)
    assert round(sum(with_residue), 9) == 1.0
