"""How people write what is to be measured: sizes, and lists of algorithms."""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_bytes, warn_once_binary
from clearway.bench.sweep import OWN

HINT = "for example 256..1Mi, 1Ki..64Ki:4 (steps of a factor of 4), or 1500,16Ki,64Ki"


def parse_sizes(text: str) -> list[int]:
    """Block sizes in ascending order; "256..1Mi" stands for all doublings."""
    warn_once_binary("--sizes", text)
    sizes: set[int] = set()
    for part in text.replace(" ", "").split(","):
        low, dots, rest = part.partition("..")
        if not dots:
            sizes.add(block_bytes(low))
            continue
        high, _, factor = rest.partition(":")
        sizes.update(ladder(block_bytes(low), block_bytes(high), block_bytes(factor or "2")))
    return sorted(sizes)


def ladder(low: int, high: int, factor: int) -> list[int]:
    if factor < 2 or high < low:
        raise ClearwayError(f"no message sizes from {low} to {high} in steps of a factor of {factor}", HINT)
    sizes = []
    while low <= high:
        sizes.append(low)
        low *= factor
    return sizes


def block_bytes(text: str) -> int:
    try:
        size_bytes = parse_bytes(text)
    except ClearwayError:
        size_bytes = 0
    if size_bytes == 0:
        raise ClearwayError(f"'{text}' is not a message size", HINT)
    return size_bytes


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
