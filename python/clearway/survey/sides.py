"""Which Runs a person means by the words of `clearway diff`: a Run, or a folder with Runs below it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.survey.find_runs import RECORD, find_runs

BETWEEN = "\0"  # no word of a command line can be this: it stands where a "--" stood
HINT = "clearway diff A B, or of groups: clearway diff A1 A2 -- B1 B2"


def sides_of(words: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """The Runs of A and of B. Raises ClearwayError where that is not clear."""
    if words.count(BETWEEN) > 1:
        raise ClearwayError("more than two groups of Runs: only two can be compared", HINT)
    if BETWEEN in words:
        at = list(words).index(BETWEEN)
        groups = list(words[:at]), list(words[at + 1 :])
    elif len(words) == 2:
        groups = [words[0]], [words[1]]
    else:
        told = {0: "no Runs to compare", 1: "one Run has nothing to compare with"}
        raise ClearwayError(told.get(len(words), f"cannot tell the two groups apart in {len(words)} Runs"), HINT)
    if not all(groups):
        raise ClearwayError("one of the groups of Runs is empty", HINT)
    a, b = ([run for word in group for run in _runs_of(Path(word))] for group in groups)
    both = set(map(os.path.realpath, a)) & set(map(os.path.realpath, b))
    if both:
        raise ClearwayError(f"{min(both)} is in both groups", HINT)
    return list(dict.fromkeys(a)), list(dict.fromkeys(b))


def _runs_of(path: Path) -> list[Path]:
    """`path` itself where it holds a record, or nothing at all: then reading it says what is wrong."""
    if not path.is_dir() or any(path.glob(f"*{RECORD}")):
        return [path]
    return list(find_runs(path).runs) or [path]
