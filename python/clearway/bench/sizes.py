"""How people write what is to be measured: sizes, and lists of algorithms."""

from __future__ import annotations

import re

from clearway.base.errors import ClearwayError
from clearway.bench.sweep import OWN

UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
HINT = "for example 256..1M, 1k..64k:4 (steps of a factor 4), or 1500,16k,64k"


def parse_sizes(text: str) -> list[int]:
    """Block sizes in ascending order; "256..1M" stands for all doublings."""
    sizes: set[int] = set()
    for part in text.split(","):
        low, dots, rest = part.partition("..")
        if not dots:
            sizes.add(parse_size(low))
            continue
        high, _, factor = rest.partition(":")
        sizes.update(ladder(parse_size(low), parse_size(high), parse_size(factor or "2")))
    return sorted(sizes)


def ladder(low: int, high: int, factor: int) -> list[int]:
    if factor < 2 or high < low:
        raise ClearwayError(f"from {low} to {high} in steps of a factor {factor} there is nothing to measure", HINT)
    sizes = []
    while low <= high:
        sizes.append(low)
        low *= factor
    return sizes


def parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([kmg]?)(?:i?b)?", text.strip().lower())
    if match is None or int(match[1]) == 0:
        raise ClearwayError(f"'{text}' is no size of a message", HINT)
    return int(match[1]) * UNITS[match[2]]


def parse_algorithms(text: str) -> list[str]:
    """The names in a comma-separated list, whose items may hold commas themselves: pairwise+token:12000,chunk:8000."""
    names: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if names and ":" in part and "+" not in part and part.partition(":")[0] in ("chunk", "pace"):
            names[-1] += f",{part}"
        elif part:
            names.append(part)
    if not names:
        raise ClearwayError("no algorithm to measure", "--algorithms own,flow")
    return list(dict.fromkeys(names))


def own_last(names: list[str]) -> list[str]:
    """After a collapse TCP keeps its windows small for a while, which would spoil what is measured next."""
    return [name for name in names if name != OWN] + [name for name in names if name == OWN]
