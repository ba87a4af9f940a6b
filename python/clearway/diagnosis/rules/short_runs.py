"""The engine says in its own log that it made many runs, and that much of its time went by between them."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "Many short runs, each with its own set-up"
REMEDIES = ()
MUCH = 0.15  # of the engine's time: every run has a beginning
CONFIDENCE = 0.6


def examine(case: Case) -> Suspicion | None:
    """Claims of computing the part that went by between the runs: it is spread over the ranks as the rest is."""
    engine, between = case.tables.engine, word(case, About.BETWEEN_RUNS)
    if engine is None or between is None or between.value is None or between.value < MUCH:
        return None
    says = (
        f"{q.percent(between.value)} of {engine.name}'s time was spent outside the steps of its runs. Each run first "
        f"builds neighbour lists and computes all forces, and prints a summary at its end; what the input does between "
        f"runs counts as well. `run N every M` begins anew every M steps, too. Make fewer runs of more steps. For what "
        f"must be done every so many steps use a `fix` or a `dump`; where nothing changes between runs, `run N pre no "
        f"post no`, which may be combined with `every`."
    )
    claims = {"compute_s": between.value * case.losses.compute_s}
    return Suspicion(claims, says, tuple(evidence(case, About.BETWEEN_RUNS)), CONFIDENCE)
