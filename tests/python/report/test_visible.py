"""Text of a job, made safe to look at."""

from __future__ import annotations

import pytest

from clearway.base.visible import storable, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain.txt", "plain.txt"),
        ("\x1b[31m\r\n\t", "\\x1b[31m\\x0d\\x0a\\x09"),
        ("a\u202eb\u200b", "a\\u202eb\\u200b"),
        (b"\xff\x80".decode("utf-8", "surrogateescape"), "\\xff\\x80"),
        ("\ud83d", "\\ud83d"),
        ("größe 漢字 🙂", "größe 漢字 🙂"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_long_text_loses_its_middle() -> None:
    assert visible("/scratch/" + "x" * 100 + "/end", 20) == "/scrat…xxxxxxxxx/end"
    assert len(visible("\x00" * 10_000, 50)) == 50


def test_data_keeps_everything_but_what_is_no_text() -> None:
    assert storable("\x1b\u202e") == "\x1b\u202e"
    assert storable("a\udcff") == "a\\xff"
