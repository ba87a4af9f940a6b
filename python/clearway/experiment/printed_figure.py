"""A figure of progress that the job prints, found by the words around it: "rate: # steps/s"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.engines.excerpts import Excerpt, Traces, excerpts
from clearway.engines.speed import positive

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?)"
MARK = "#"  # stands for the number
LARGEST = 64 << 20  # of a longer output, the end is looked at


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """What to look for, and which way it goes."""

    words: str  # as the user wrote them
    is_time: bool = False  # that the same work takes: less is better

    def seconds(self, figure: float) -> float:
        """For the same work, in whatever unit."""
        return figure if self.is_time else 1 / figure

    def last_in(self, text: str) -> float | None:
        """The last one counts: a program may print it again and again."""
        found = None
        for match in re.finditer(pattern_of(self.words), text):
            found = positive(match.group(1))
        return found


def pattern_of(words: str) -> str:
    """Any spaces where the words have some, and around the number. Without a '#' the number comes behind the words."""
    before, mark, after = words.partition(MARK)
    if MARK in after or not (before + after).strip():
        raise ClearwayError(
            f"'{words}' does not say where the number is",
            "give the words around it, and one # for the number: --figure 'rate: # steps/s'",
        )
    behind = _spaced(after)
    gap = r"[ \t]*" if mark else r"[ \t:=]*"
    start = r"(?<![\w.+-])" if not before.strip() else _spaced(before) + gap
    return f"{start}{NUMBER}" + (rf"[ \t]*{behind}" if behind else "")


def _spaced(words: str) -> str:
    return r"[ \t]+".join(map(re.escape, words.split()))


def find_figure(figure: PrintedFigure, output: Path, run: Traces | None) -> float | None:
    """In what the job printed, else in the files that it wrote."""
    places = [output] if output.exists() else []
    for text in _texts(places, excerpts(run) if run is not None else iter(())):
        found = figure.last_in(text)
        if found is not None:
            return found
    return None


def _texts(whole: list[Path], parts: Iterator[Excerpt]) -> Iterator[str]:
    for path in whole:
        yield _read(Excerpt(path, 0, path.stat().st_size))
    for part in parts:
        yield _read(part)


def _read(part: Excerpt) -> str:
    try:
        with part.path.open("rb") as stream:
            stream.seek(max(part.begin, part.end - LARGEST))
            return stream.read(min(LARGEST, part.end - part.begin)).decode("utf-8", "replace")
    except OSError:
        return ""  # it has gone, or is not ours to read
