"""Whole numbers in text of any origin: variables of a job, facts of a Run, files, command lines."""

from __future__ import annotations

MOST_DIGITS = 20  # 64 bits: what a kernel says where there is no limit


def is_whole(text: str) -> bool:
    """Whether `int(text)` is a number to count with: decimal figures, and not more of them than any count has.

    Python's own `isdecimal` lets hundreds of figures pass, which no float holds, and thousands, which `int` refuses;
    its `isdigit` lets ² pass.
    """
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
