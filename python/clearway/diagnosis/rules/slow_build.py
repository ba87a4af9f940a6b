"""The engine was built for older processors than these, or without optimisation: its own log says so."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "The engine was built for older processors than these"
REMEDIES = ("build-for-processor",)
UNOPTIMISED_TIMES = 2.0  # at least so much longer without a compiler's optimisation


def examine(case: Case) -> Suspicion | None:
    """Claims of computing what wider instructions can save at most: a bound."""
    engine, narrow = case.tables.engine, word(case, About.INSTRUCTIONS)
    if engine is None:
        return None
    if word(case, About.UNOPTIMISED) is not None:
        return Suspicion(
            {"compute_s": case.losses.compute_s * (1 - 1 / UNOPTIMISED_TIMES)},
            f"This {engine.name} was compiled without optimisation, as programs are for a debugger: computing takes "
            f"several times as long as it could. The figure assumes {UNOPTIMISED_TIMES:.0f} times.",
            tuple(evidence(case, About.UNOPTIMISED)),
            confidence=0.7,
            title="The engine was built without optimisation",
        )
    if narrow is None or narrow.value is None:
        return None
    told = word(case, About.KERNELS)
    known = told.value if told is not None and told.value else None  # a job that did not end left no table of its time
    kernels = 1.0 if known is None else known
    part = (
        "Its log does not tell which part of its time that concerns."
        if known is None
        else f"{q.percent(kernels)} of its time goes into what a newer build would speed up."
    )
    most_s = case.losses.compute_s * kernels * (1 - narrow.value)
    wider = 1 / narrow.value
    says = (
        f"This {engine.name} was {narrow.says}: these compute {wider:.0f} times as many numbers with one instruction. "
        f"{part} The figure is the most that can be gained; usually it is less, because memory does not get faster."
    )
    return Suspicion({"compute_s": most_s}, says, tuple(evidence(case, About.INSTRUCTIONS)), confidence=0.55)
