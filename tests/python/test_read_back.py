"""JSON that we wrote comes back as it was; any other is one ValueError, or one clear message."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

import pytest

from clearway.base.errors import ClearwayError
from clearway.base.json import plain
from clearway.base.read_back import from_text
from clearway.bench.printed import read_lines
from clearway.bench.saved_sweep import sweep_from
from clearway.cluster.hosts.ask import states_in
from clearway.cluster.hosts.output_lines import MOST_BYTES


@dataclass(frozen=True)
class Leaf:
    number: float
    word: str = "usual"


@dataclass(frozen=True)
class Tree:
    count: int
    leaves: tuple[Leaf, ...]
    pair: tuple[str, int]
    by_name: dict[str, Leaf]
    choice: str | int | None


WHOLE = Tree(3, (Leaf(1.5), Leaf(2, "other")), ("a", 1), {"x": Leaf(0.0)}, None)


def test_as_it_was() -> None:
    assert from_text(Tree, json.dumps(plain(WHOLE))) == WHOLE


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"count": "3"}, "count: expected int, got str"),
        ({"count": True}, "count: expected int, got bool"),
        ({"leaves": None}, "leaves: expected array, got null"),
        ({"leaves": [{"number": "1"}]}, "leaves[0].number: expected float, got str"),
        ({"leaves": [{"number": float("nan")}]}, "number is not a finite number"),
        ({"leaves": [{"number": 10**400}]}, "leaves[0].number: number out of range"),
        ({"leaves": [{}]}, "leaves[0]: object missing required field number"),
        ({"pair": ["a"]}, "pair: expected array of length 2, got 1"),
        ({"by_name": [1]}, "by_name: expected object, got array"),
        ({"choice": 1.5}, "choice: expected int | str | null, got float"),
        ({"more": 1}, "it has 'more', which this version of Clearway does not know"),
        ({"leaves": [{"number": 1, "more": 1}]}, "leaves[0] has 'more', which this version of Clearway does not know"),
        ({"by_name": {"x": {"number": float("inf")}}}, "number is not a finite number"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(said) + "$"):
        from_text(Tree, json.dumps({**plain(WHOLE), **change}))


def test_a_file_name_that_is_no_text_comes_back() -> None:
    """As json writes it where it is told the plain value: a byte that is no UTF-8 is a surrogate."""
    assert from_text(dict[str, str], json.dumps({"\udcff": "\udcfe"})) == {"\udcff": "\udcfe"}


@pytest.mark.parametrize("text", ["", "nonsense", "[" * 100_000, "[]", "null", "9" * 5000, '"\ud800'])
def test_no_text_is_more_than_one_error(text: str) -> None:
    with pytest.raises(ValueError):  # Python's own words
        from_text(Tree, text)
    with pytest.raises(ClearwayError):
        sweep_from(text, "sweep.json")
    assert read_lines([f"clearway-bench {{{text}"]).job is None


def test_a_jobs_own_line_is_not_taken_for_the_benchmarks() -> None:
    """Whatever a job prints must not end the command that reads it."""
    assert read_lines(['clearway-bench {"job": {"operation": 1}}', 'clearway-bench {"point": 3}']).job is None


def as_host(packed: bytes) -> str:
    text = base64.b64encode(packed).decode()
    return f"clearway-host 1/1 {zlib.crc32(packed)} {zlib.crc32(text.encode()):08x} {text}"


@pytest.mark.parametrize("tree", [b"{}", b"[]", b'{"host": "a", "facts": {"x": 1}}', b" " * (MOST_BYTES + 1)])
def test_what_no_host_says_is_refused(tree: bytes) -> None:
    with pytest.raises(ClearwayError, match="cannot read a line that a host printed"):
        states_in(as_host(zlib.compress(tree)))
    with pytest.raises(ClearwayError, match="cannot read a line that a host printed"):
        states_in(as_host(tree[:100]))
