"""What an engine computed, as far as two ways to run it can be held beside each other by their logs.

An engine's module whose results can be compared has REPRODUCES (how far, relative to its size, the energy of the same
positions differs when it is summed in another order) and `energies(text)`, by step; one that counts how often it did
not keep what it promised also has `broken_promises(text)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from clearway.engines import BEGINNING, engines


@dataclass(frozen=True, slots=True)
class Results:
    """Of one run."""

    energies: Mapping[int, float] = field(default_factory=dict)  # by step, in the engine's own unit
    reproduces: float = 0.0  # relative
    broken_promises: int = 0


class ResultsModule(Protocol):
    """What a module of an engine then provides."""

    REPRODUCES: float

    def energies(self, text: str) -> dict[int, float]: ...


class CountingModule(Protocol):
    """And one that counts."""

    def broken_promises(self, text: str) -> int: ...


def results_of(text: str) -> Results | None:
    """None where this is not a log of an engine whose results can be compared."""
    engine = next((one for one in engines() if one.recognises(text[:BEGINNING])), None)
    if engine is None or not hasattr(engine, "energies"):
        return None
    broken = cast(CountingModule, engine).broken_promises(text) if hasattr(engine, "broken_promises") else 0
    told = cast(ResultsModule, engine)
    return Results(told.energies(text), told.REPRODUCES, broken)
