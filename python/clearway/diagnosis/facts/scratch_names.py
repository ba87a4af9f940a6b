"""Globs for scratch files by the parts of their names that the next run's files have, too.

Numbers (ranks, process ids) are other ones the next time, and so are the parts that mkstemp, tempfile and SQLite draw.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise, takewhile
from pathlib import PurePath

DRAWN = 6  # characters that mkstemp puts in place of XXXXXX
LEAST_COMMON = 3  # characters that names of one kind have in common at their beginning
ALIKE = 3  # files whose names differ only behind that
TEMPFILE = re.compile(r"tmp[a-z0-9_]{8}")  # Python's
WORD = re.compile(r"[A-Za-z0-9]+")
OF_PATTERNS = re.compile(r"[][*?\\:]")  # in a name; a colon would end the pattern


def globs(paths: Iterable[str]) -> list[str]:
    """One for each kind of file."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in (PurePath(OF_PATTERNS.sub("?", path)) for path in paths):
        found[re.sub(r"\d{3,}", "*", str(path.parent))].append(path.name)
    return list(dict.fromkeys(f"{folder}/{glob}" for folder, names in found.items() for glob in _globs(names)))


def _globs(names: list[str]) -> list[str]:
    """Names of letters only may be drawn, too: three that begin and end alike are of one kind."""
    kinds: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for name in names:
        kinds[name[:LEAST_COMMON], PurePath(name).suffix, len(name)].append(name)
    found = []
    for alike in kinds.values():
        each = list(dict.fromkeys(map(stable, alike)))
        if len(each) < ALIKE:
            found += each
            continue
        behind = _beginning([name[::-1] for name in alike])[::-1]
        suffix = behind if behind.startswith(".") else PurePath(alike[0]).suffix
        found.append(f"{stable(_beginning(alike).removesuffix(suffix))}*{suffix}".replace("**", "*"))
    return found


def _beginning(names: list[str]) -> str:
    """That all have in common."""
    first, last = min(names), max(names)
    alike = takewhile(lambda both: both[0] == both[1], zip(first, last, strict=False))
    return "".join(one for one, _ in alike)


def stable(name: str) -> str:
    """A glob that one name gives."""
    name = TEMPFILE.sub("tmp*", name)
    return re.sub(r"\*+", "*", WORD.sub(lambda word: _stable_word(word.group()), name))


def _stable_word(word: str) -> str:
    if len(word) >= 8 and re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", word) and re.search(r"\d", word):
        return "*"
    if len(word) >= DRAWN and _is_drawn(word[-DRAWN:]):
        return re.sub(r"\d+", "*", word[:-DRAWN]) + "*"
    return re.sub(r"\d+", "*", word)


def _is_drawn(part: str) -> bool:
    """Whether it changes between digits, small and capital letters as no name does that somebody thought of."""
    kinds = ["digit" if one.isdigit() else "small" if one.islower() else "capital" for one in part]
    changes = sum(one != next_one for one, next_one in pairwise(kinds))
    return changes >= 3 or (changes == 2 and len(set(kinds)) == 3)
