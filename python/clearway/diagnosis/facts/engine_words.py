"""What the job's engine says of itself in its log, as evidence."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.engines.words import About, Word


def word(case: Case, *about: About) -> Word | None:
    """The first that is about one of these."""
    return next((each for each in case.tables.words if each.about in about), None)


def evidence(case: Case, *about: About) -> Iterator[Evidence]:
    engine = case.tables.engine
    for each in case.tables.words:
        if each.about in about and engine is not None:
            yield Evidence(f"{engine.name} says", each.says, "its own log")


def its_rank_s(case: Case) -> float:
    """Rank-seconds that the engine's own account of its time is about; 0 where its log does not tell."""
    engine = case.tables.engine
    if engine is None or engine.steps is None or engine.s_per_step is None:
        return 0.0
    return min(engine.steps * engine.s_per_step, case.wall_s) * case.ranks
