"""Rates and sizes as people write them: 100mbit, 64k."""

from __future__ import annotations

import re

from clearway.base.errors import ClearwayError

_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def _parse(text: str, suffix: str, what: str, example: str) -> int:
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)([kmg]?){suffix}", text.strip().lower())
    if match is None:
        raise ClearwayError(f"'{text}' is no {what}", example)
    return round(float(match[1]) * _DECIMAL[match[2]])


def parse_rate(text: str) -> int:
    """'20mbit' as bit/s."""
    return _parse(text, "(?:bit)?", "rate of a link", "for example 20mbit or 1gbit")


def parse_size(text: str) -> int:
    """'64k' as bytes: 64,000, as switch vendors count."""
    return _parse(text, "b?", "size in bytes", "for example 64k")


def parse_buffer(text: str) -> int | None:
    """As `parse_size`; 'deep' is the buffer that never overflows."""
    return None if text.strip().lower() == "deep" else parse_size(text)


def format_rate(rate_bps: int) -> str:
    for factor, unit in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s")):
        if rate_bps >= factor:
            return f"{rate_bps / factor:g} {unit}"
    return f"{rate_bps} bit/s"


def format_buffer(buffer_bytes: int | None) -> str:
    return "deep" if buffer_bytes is None else f"{buffer_bytes / 1000:g} kB"
