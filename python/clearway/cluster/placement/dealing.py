"""Dealing things out evenly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def level(rooms: Sequence[int], total: int) -> list[int]:
    """So many of `total` into each room, as even as the rooms allow; the first get what is over."""
    counts = [0] * len(rooms)
    left = min(total, sum(rooms))
    while left:
        for at in [at for at, room in enumerate(rooms) if counts[at] < room][:left]:
            counts[at] += 1
            left -= 1
    return counts


def in_turns(things: Sequence[T], group: Callable[[T], Hashable]) -> list[T]:
    """First the first of each group, then the second ones, and so on."""
    seen: Counter[Hashable] = Counter()
    turns = []
    for at, thing in enumerate(things):
        turns.append((seen[group(thing)], at))
        seen[group(thing)] += 1
    return [things[at] for _, at in sorted(turns)]
