"""Sizes and lists of algorithms as people write them."""

from __future__ import annotations

import pytest

from clearway.base.errors import ClearwayError
from clearway.bench.sizes import own_last, parse_algorithms, parse_sizes


def test_sizes() -> None:
    assert parse_sizes("256..2Ki") == [256, 512, 1024, 2048]
    assert parse_sizes("1Ki..1Mi:32, 100") == [100, 1024, 32768, 1048576]
    assert parse_sizes("300..1k") == [300, 600]  # the end need not be met
    assert parse_sizes("64kB,64KiB,1.5k") == [1500, 64000, 65536]


@pytest.mark.parametrize("text", ["", "0", "1k..", "2k..1k", "1..8:1", "-5", "k", "1,,2"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ClearwayError) as refused:
        parse_sizes(text)
    assert refused.value.hint


def test_algorithms_may_hold_commas() -> None:
    assert parse_algorithms("own, flow,pairwise+token:12000,chunk:8000,pace:100,ordered,own") == [
        "own",
        "flow",
        "pairwise+token:12000,chunk:8000,pace:100",
        "ordered",
    ]
    with pytest.raises(ClearwayError):
        parse_algorithms(" , ")


def test_the_mpis_own_is_measured_last() -> None:
    assert own_last(["own", "bruck", "flow"]) == ["bruck", "flow", "own"]
