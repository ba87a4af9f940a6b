"""Sizes, rates, times and shares as people write them (docs/units.md): 64k is 64,000, 64Ki 65,536.

native/units/units.hpp reads the same; tests/units/examples.txt holds both to it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping

from clearway.base.errors import ClearwayError

MOST, MOST_DIGITS = 2**63 - 1, 18

DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
TIMES_NS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}

_FIGURE = re.compile(r"([0-9]+)(?:\.([0-9]{1,6}))?(?: (?=.))?([^0-9.]*)")


def parse_bytes(text: str) -> int:
    """'64k' is 64,000 bytes, '64Ki' 65,536. Raises ClearwayError."""
    return _parsed(text, lambda unit: unit.lower().removesuffix("b"), DECIMAL | BINARY, "size in bytes", "64k or 64Ki")


def parse_buffer(text: str) -> int | None:
    """As `parse_bytes`; 'deep' is the buffer that never overflows."""
    return None if text.lower() == "deep" else parse_bytes(text)


def parse_rate_bps(text: str) -> int:
    """'20mbit' as bit/s. Raises ClearwayError."""
    return _parsed(text, _prefix_of_rate, DECIMAL, "rate of a link", "20mbit or 1gbit")


def parse_time_ns(text: str) -> int:
    """'25us' in nanoseconds. Raises ClearwayError."""
    return _parsed(text, lambda unit: unit, TIMES_NS, "time", "25us, 90s or 1.5h")


def parse_time_s(text: str) -> float:
    """'30m' or '1.5h' in seconds; '90' are seconds. Raises ClearwayError, also for no time at all."""
    time_ns = parse_time_ns(f"{text}s" if text[-1:].isdecimal() else text)
    if time_ns == 0:
        raise ClearwayError(f"'{text}' is not a time", "as 90s, 30m or 2h")
    return time_ns / 1e9


def parse_share(text: str) -> float:
    """'2%' or '0.02'. Raises ClearwayError."""
    told = re.fullmatch(r"([0-9]*\.?[0-9]+) ?(%?)", text.strip())
    if told is None:
        raise ClearwayError(f"'{text}' is not a share", "as 2% or 0.02")
    return float(told[1]) / (100 if told[2] else 1)


def bytes_as_binary(text: str) -> int | None:
    """What a size was where k, M, G and T used to be powers of 1024; None where it means the same as ever."""
    told = re.fullmatch(r"(.*[0-9] ?[kmgt])b?", text.lower())
    try:
        return None if told is None else parse_bytes(f"{told[1]}i")
    except ClearwayError:
        return None


def warn_once_binary(option: str, text: str) -> None:
    """A line on standard error for the first size in `text`, in which some may be listed, that is another now."""
    for word in re.split(r"[,: ]+|\.\.", text):
        if bytes_as_binary(word) is not None:
            unit = word.rstrip("bB")
            told = f"{option}: {word} now means {parse_bytes(word)} bytes, because k, M, G and T are powers of 1000"
            print(
                f"clearway: warning: {told}; write {unit}i for powers of 1024, or {parse_bytes(word)}", file=sys.stderr
            )
            return


def format_rate(rate_bps: int) -> str:
    for factor, unit in ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s")):
        if rate_bps >= factor:
            return f"{rate_bps / factor:g} {unit}"
    return f"{rate_bps} bit/s"


def format_buffer(buffer_bytes: int | None) -> str:
    return "deep" if buffer_bytes is None else f"{buffer_bytes / 1000:g} kB"


def _prefix_of_rate(unit: str) -> str:
    return re.sub(r"bit(/s)?$", "", unit.lower())


def _parsed(text: str, prefix: Callable[[str], str], units: Mapping[str, int], what: str, example: str) -> int:
    match = _FIGURE.fullmatch(text)
    factor = units.get(prefix(match[3])) if match else None
    digits = match[1] + (match[2] or "") if match else ""
    if match is None or factor is None or len(digits) > MOST_DIGITS:
        raise ClearwayError(f"'{text}' is not a {what}", f"for example {example}")
    scale: int = 10 ** len(match[2] or "")
    value = (int(digits) * factor + scale // 2) // scale
    if value > MOST:
        raise ClearwayError(f"'{text}' is too large for a {what}", f"for example {example}")
    return value
