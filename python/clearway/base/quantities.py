"""Figures as people read them: three digits and a unit. None is a dash, never a zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNKNOWN = "–"
BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def three_digits(value: float) -> str:
    size = abs(value)
    if 0 < size < 0.095:
        return f"{value:.2g}"
    return f"{value:,.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def seconds(value: float | None) -> str:
    """A duration in the unit that suits it: "61.2 s", "38.0 µs"."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0 s"
    for scale, unit in TIME_UNITS:
        if abs(value) >= 0.9995 * scale:
            return f"{three_digits(value / scale)} {unit}"
    return "0 s" if abs(value) < 0.5e-9 else f"{three_digits(value / 1e-9)} ns"


def bytes_(value: float | None) -> str:
    """A number of bytes in powers of 1024: "43.2 KiB"."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    exponent = 0
    while abs(value) >= 999.5 and exponent < len(BINARY_UNITS) - 1:
        value /= 1024
        exponent += 1
    return f"{value:.0f} B" if exponent == 0 else f"{three_digits(value)} {BINARY_UNITS[exponent]}"


def count(value: float | None) -> str:
    """A number of things, exact while it is short: "12,000", "1.24 G"."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= 10 * scale:
            return f"{three_digits(value / scale)} {letter}"
    return f"{value:,.0f}"


def plural(number: int, noun: str) -> str:
    """Things with their noun: "1 rank", "12,000 ranks"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(part: float | None, whole: float = 1.0) -> str:
    """A share: "43.1 %"."""
    if part is None or not whole or not math.isfinite(part / whole):
        return UNKNOWN
    share = 100 * part / whole
    return f"{0.0 if abs(share) < 0.05 else share:.1f} %"


def whole_percent(part: float, whole: float) -> str:
    """A share of something listed, and nothing at all where there is nothing: zeros would hide what matters."""
    if whole <= 0 or not math.isfinite(part / whole) or part / whole < 0.0005:
        return ""
    share = 100 * part / whole
    return "< 1 %" if share < 0.5 else f"{share:.0f} %"


def ratio(value: float | None) -> str:
    """A plain ratio: "0.86"."""
    return UNKNOWN if value is None or not math.isfinite(value) else f"{value:.2f}"


def speed(ns_per_day: float | None, s_per_step: float | None) -> str:
    """Of a simulation: "6.77 ns/day", or "12.3 ms/step" where the engine tells no more; nothing where it tells none."""
    if ns_per_day is not None:
        return f"{three_digits(ns_per_day)} ns/day"
    return f"{seconds(s_per_step)}/step" if s_per_step is not None else ""


def instant(text: str) -> str:
    """ISO 8601 without what a person does not read: "2026-03-02 14:05:09 UTC"."""
    return text.replace("T", " ", 1).replace("Z", " UTC").replace("+00:00", " UTC")


def size_range(low_bytes: int, high_bytes: int) -> str:
    """A bin of sizes [low, high]: "64 – 128 KiB", where bins end one byte short of a power of two."""
    if high_bytes <= low_bytes:
        return bytes_(low_bytes)
    end = high_bytes + 1
    exponent = max(0, min((end.bit_length() - 1) // 10, len(BINARY_UNITS) - 1))
    if low_bytes < 1024 <= end and low_bytes != 512:
        return f"{low_bytes:,} B – {end / 1024**exponent:.4g} {BINARY_UNITS[exponent]}"
    scale = 1024**exponent
    return f"{low_bytes / scale:.4g} – {end / scale:.4g} {BINARY_UNITS[exponent]}"


def apportioned(values: Sequence[float], total: float, decimals: int) -> list[float]:
    """`values` rounded so that what is printed adds up to the printed `total`: the largest remainders round up."""
    unit = 10.0**-decimals
    floors = [math.floor(value / unit) for value in values]
    missing = round(total / unit) - sum(floors)
    by_remainder = sorted(range(len(values)), key=lambda i: floors[i] - values[i] / unit)
    for index in by_remainder[: max(0, missing)]:
        floors[index] += 1
    return [floor * unit for floor in floors]
