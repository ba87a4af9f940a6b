"""A tutorial as a test sees it: blocks to type, and excerpts of what they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"[A-Za-z][A-Za-z-]{3,}")  # no figure and no unit: these differ from run to run


@dataclass(frozen=True)
class Step:
    """What is typed at once, and the excerpts that follow it."""

    typed: str
    excerpts: tuple[str, ...]


def steps_of(page: Path) -> list[Step]:
    """The blocks of a page in their order. Every block is either typed (`sh`) or an excerpt (`console`)."""
    steps: list[Step] = []
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        assert language in ("sh", "console"), f"{page.name}: a block of '{language}' is neither typed nor an excerpt"
        if language == "sh":
            steps.append(Step(body, ()))
        else:
            assert steps, f"{page.name} begins with an excerpt"
            steps[-1] = Step(steps[-1].typed, (*steps[-1].excerpts, body))
    return steps


def missing(excerpt: str, printed: str) -> list[str]:
    """Lines of an excerpt whose words do not stand in what was printed, in their order, one after the other.

    The lines of the page break where its figures let them, so words are compared, not lines.
    """
    said = f" {' '.join(WORD.findall(printed))} "
    lines = ((line, WORD.findall(line)) for line in excerpt.splitlines())
    return [line for line, words in lines if words and f" {' '.join(words)} " not in said]
