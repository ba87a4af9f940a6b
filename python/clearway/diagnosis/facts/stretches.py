"""Ranks that are waited for in turn: does another one come last each time, or one for a long stretch, then another?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PARTS = 20  # of the time: one in which a rank takes turns with another at every step shows both
ENOUGH = 3 * PARTS  # waits: below, a part holds too few
MOSTLY_ONE = 0.8  # of the waiting in a part
MOSTLY_SUCH = 0.8  # of the waiting, in parts that have one


@dataclass(frozen=True, slots=True)
class Stretch:
    late: int  # process that was waited for
    until_s: float


def stretches(at_s: NDArray[np.float64], late: NDArray[np.int32], seconds: NDArray[np.float64]) -> tuple[Stretch, ...]:
    """Of waits that began at `at_s`, for `late`; none where ranks take turns within the parts."""
    if len(at_s) < ENOUGH:
        return ()
    edges_s = np.linspace(at_s.min(), at_s.max(), PARTS + 1)
    part = np.clip(np.searchsorted(edges_s, at_s, side="right") - 1, 0, PARTS - 1)
    waited_s = np.zeros((PARTS, int(late.max()) + 1))
    np.add.at(waited_s, (part, late), seconds)
    of_one = waited_s.max(axis=1) > MOSTLY_ONE * waited_s.sum(axis=1)
    if waited_s[of_one].sum() < MOSTLY_SUCH * waited_s.sum():
        return ()
    found: list[Stretch] = []
    for end_s, row in zip(edges_s[1:], waited_s, strict=True):
        if not row.any():
            continue
        most = int(np.argmax(row))
        if found and found[-1].late == most:
            found.pop()
        found.append(Stretch(most, float(end_s)))
    return tuple(found)
