"""Times as people write them: 25us."""

from __future__ import annotations

import re

from clearway.base.errors import ClearwayError

UNITS_NS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}


def parse_duration_ns(text: str) -> int:
    """'25us' in nanoseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(ns|us|µs|ms|s)", text.strip())
    if match is None:
        raise ClearwayError(f"'{text}' is no time", "for example 25us")
    return round(float(match[1]) * UNITS_NS[match[2]])
