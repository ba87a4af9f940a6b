"""Another build of the engine: for the processors that are there."""

from __future__ import annotations

import re

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.engines.words import About

EXCLUDES: frozenset[str] = frozenset()
WIDE = {"AVX_512": "AVX2_256"}  # the safe choice among those of equal promise


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: what is left is a bound already."""
    narrow = word(case, About.INSTRUCTIONS)
    if narrow is None and word(case, About.UNOPTIMISED) is None:
        return None
    has = re.search(r"processors have (\w+)", narrow.says) if narrow else None
    simd = f"-DGMX_SIMD={WIDE.get(has[1], has[1])} " if has else ""
    return Offer(
        what="use a build of the engine for these processors",
        why="a module, a container or conda may have one; otherwise compile it",
        gain=None,
        command=f"cmake {simd}-DCMAKE_BUILD_TYPE=Release …",
    )
