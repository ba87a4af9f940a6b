"""What an engine's own log says of how it ran, besides its speed: what it warns of, and what it advises.

An engine's module that reads such words has `words(text)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, cast

from clearway.base.older_python import StrEnum

LONGEST = 200
ENDS = 1 << 18  # of a long log: what an engine says of itself stands at its beginning and at its end


class About(StrEnum):
    """What a word is about; its value is in brackets."""

    INSTRUCTIONS = "instructions"  # narrower ones than the processors have [their width as a share of the possible]
    KERNELS = "kernels"  # what these would make faster [share of the time]
    UNOPTIMISED = "unoptimised"  # it was built without optimisation
    IMBALANCE = "imbalance"  # ranks waited for the one that has most to compute [share of the time]
    NOT_BALANCED = "not balanced"  # it could move work from rank to rank, and did not
    PME_MORE = "PME more"  # ranks set apart for PME had more to do than the others [share of the time lost]
    PME_LESS = "PME less"  # ... less
    EMPTY = "empty"  # some rank had nothing at all to do
    K_POINTS = "k-points"  # that can be computed apart from each other [their number]
    PICTURES = "pictures"  # a line of the input that has them drawn while it runs
    OUTPUT = "output"  # time in which it writes what it computed, and prepares that [share of the time]
    NEIGHBOURS = "neighbours"  # time in which it looks for neighbours, and divides the box anew [share of the time]
    LIST_KEPT = "list kept"  # for how long it keeps a list of neighbours [steps, on average]
    SKIN = "skin"  # neighbours beyond the usual one are listed, and looked at in vain [share of computing, at most]
    FIXES = "fixes"  # time in what the input adds to a step beside forces [share of the time]
    FIX = "fix"  # such a line of the input
    BETWEEN_RUNS = "between runs"  # of many runs, what was not spent in their steps [share of the time]
    MEASURING = "measuring"  # it was told to measure itself in a way that takes time
    UNSORTED = "unsorted"  # it does not sort the atoms in memory by their places
    DOUBLE = "double"  # it was built to compute in double precision
    SLOW_WAY = "slow way"  # to compute what it has a faster one for [share of its time that this spares, at least]
    FASTER = "faster"  # what to write into the input instead; stands after its SLOW_WAY
    WARNING = "warning"  # of the engine, about its speed


@dataclass(frozen=True, slots=True)
class Word:
    about: About
    says: str  # as the log has it
    value: float | None = None


class TalkingModule(Protocol):
    def words(self, text: str) -> Iterator[Word]: ...


def words_of(engine: object, text: str) -> tuple[Word, ...]:
    """Of the log `text` of an engine's module."""
    if not hasattr(engine, "words"):
        return ()
    if len(text) > 2 * ENDS:
        text = f"{text[:ENDS]}\n{text[-ENDS:]}"
    return tuple(cast(TalkingModule, engine).words(text))


def said(*lines: str) -> str:
    """Lines of a log as one sentence, no longer than a page has room for."""
    return " ".join(" ".join(lines).split())[:LONGEST]
