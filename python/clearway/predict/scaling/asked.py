"""The numbers of ranks that `--to` names."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole

MOST = 1 << 24
HINT = "--to 16,64,1024"


def targets_of(words: Sequence[str]) -> list[int]:
    """`16,64 1024`: each once, ascending. Raises ClearwayError."""
    found = set()
    for word in ",".join(words).split(","):
        if not word.strip():
            continue
        if not is_whole(word.strip()) or not 1 <= int(word) <= MOST:
            raise ClearwayError(f"'{word.strip()}' is not a number of ranks", HINT)
        found.add(int(word))
    if not found:
        raise ClearwayError("no number of ranks to predict for", HINT)
    return sorted(found)
