"""Sizes, rates, times and lists: one table of examples for the native half and for Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.cpp import run_cpp_tests

from clearway.base.errors import ClearwayError
from clearway.base.ranges import numbers
from clearway.base.units import (
    bytes_as_binary,
    format_buffer,
    format_rate,
    parse_buffer,
    parse_bytes,
    parse_rate_bps,
    parse_share,
    parse_time_ns,
    parse_time_s,
    warn_once_binary,
)

TABLE = Path(__file__).parent / "examples.txt"
EXAMPLES = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
READERS: dict[str, Callable[[str], object]] = {
    "bytes": parse_bytes,
    "rate": parse_rate_bps,
    "time": parse_time_ns,
    "binary": lambda text: "" if (bytes_then := bytes_as_binary(text)) is None else bytes_then,
    "numbers": lambda text: ",".join(map(str, numbers(text))),
}


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("units_test", "units")


@pytest.mark.parametrize("example", EXAMPLES)
def test_as_in_the_table_that_the_native_half_reads_too(example: str) -> None:
    words, value = example.rsplit(" =", 1)
    kind, _, text = words.partition(" ")
    if value or kind == "binary":
        assert str(READERS[kind](text)) == value.strip()
    else:
        with pytest.raises(ClearwayError) as refused:
            READERS[kind](text)
        assert refused.value.hint


def test_times_and_shares_of_a_plan() -> None:
    assert [parse_time_s(text) for text in ("90", "1.5", "90s", "30m", "0.5h", "1d")] == [
        90,
        1.5,
        90,
        1800,
        1800,
        86400,
    ]
    assert [parse_share(text) for text in ("2%", "0.02", ".5", "1 %")] == [0.02, 0.02, 0.5, 0.01]
    for wrong in ("0", "0s", "", "s", "soon", "-1"):
        with pytest.raises(ClearwayError):
            parse_time_s(wrong)
    for wrong in ("", "%", "much", "-1%"):
        with pytest.raises(ClearwayError):
            parse_share(wrong)


@pytest.mark.parametrize("text", ["deep", "20k", "64kB", "1M"])
def test_buffers_are_read_as_they_are_shown(text: str) -> None:
    assert parse_buffer(format_buffer(parse_buffer(text))) == parse_buffer(text)


@pytest.mark.parametrize("text", ["20mbit", "1gbit", "2.5Gbit", "300000", "12bit"])
def test_rates_are_read_as_they_are_shown(text: str) -> None:
    assert parse_rate_bps(format_rate(parse_rate_bps(text))) == parse_rate_bps(text)


def test_a_size_that_was_a_power_of_1024_gives_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for silent in ("64Ki", "64000", "256..1Mi:4", "auto", "0"):
        warn_once_binary("--sizes", silent)
    assert capsys.readouterr().err == ""
    for told, said in (("64kB", "64k"), ("100,1.5M,2k", "1.5M"), ("256..2k:4", "2k")):
        warn_once_binary("--sizes", told)
        (line,) = capsys.readouterr().err.splitlines()
        assert f"write {said}i for powers of 1024, or {parse_bytes(said)}" in line
