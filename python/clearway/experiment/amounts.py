"""Times and shares as they are typed."""

from __future__ import annotations

import re

from clearway.base.errors import ClearwayError

UNITS_S = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def parse_time_s(text: str) -> float:
    """ "30m", "1.5h" or "90" seconds."""
    told = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|m|h|d|)", text)
    if told is None or float(told[1]) == 0:
        raise ClearwayError(f"'{text}' is no time", "as 90s, 30m or 2h")
    return float(told[1]) * UNITS_S[told[2]]


def parse_share(text: str) -> float:
    """ "2%" or "0.02"."""
    told = re.fullmatch(r"(\d*\.?\d+) ?(%?)", text)
    if told is None:
        raise ClearwayError(f"'{text}' is no share", "as 2% or 0.02")
    return float(told[1]) / (100 if told[2] else 1)
