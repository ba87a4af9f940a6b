"""Seeds of random tests: a failing one is printed, kept in build/failing-seeds, and tried first the next time."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.mpis import REPOSITORY

FAILING = REPOSITORY / "build" / "failing-seeds"
FEW = 5  # of those that failed, the latest


def seeds(test: str, fresh: int) -> list[int]:
    """Those with which `test` failed before, and some new ones."""
    return [*_kept(test), *(random.randrange(1 << 30) for _ in range(fresh))]


@contextmanager
def trying(test: str, seed: int) -> Iterator[None]:
    """Around what is tried with `seed`: where it fails, the seed is kept; where it passes, it is forgotten."""
    try:
        yield
    except BaseException as failure:
        _keep(test, [*(each for each in _kept(test) if each != seed), seed])
        failure.add_note(f"seed {seed} of {test} failed; it is kept in {_file(test)} and comes first next time")
        raise
    _keep(test, [each for each in _kept(test) if each != seed])


def _file(test: str) -> Path:
    return FAILING / (re.sub(r"[^A-Za-z0-9_.-]+", "_", test) + ".txt")


def _kept(test: str) -> list[int]:
    try:
        return [int(word) for word in _file(test).read_text().split()][-FEW:]
    except (OSError, ValueError):
        return []


def _keep(test: str, kept: list[int]) -> None:
    file = _file(test)
    if kept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(" ".join(map(str, kept)) + "\n")
    else:
        file.unlink(missing_ok=True)
