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
