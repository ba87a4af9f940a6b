"""Jobs of whose engine something is known: what its log says, and what it did meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rules.host_jobs import MadeHost, case_of, ranks_on, steps_of

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Finding
from clearway.engines.speed import Engine
from clearway.engines.words import About, Word

STEPS, STEP_S = 100, 0.1


def spent(text: str, engine: object) -> dict[About, float | None]:
    return {word.about: word.value for word in engine.words(text)}  # type: ignore[attr-defined]


def saying(directory: Path, *words: Word, compute_s: tuple[float, ...] = (2.0, 2.0)) -> Case:
    world = ranks_on(MadeHost(), per_host=len(compute_s))
    steps_of(world, compute_s)
    case = case_of(world, directory, MadeHost())
    engine = Engine("LAMMPS", "log", None, STEP_S, STEPS)
    return replace(case, tables=replace(case.tables, engine=engine, words=words))


def finding(case: Case, rule: str) -> Finding | None:
    return next((one.finding for one in diagnose(case) if one.finding.rule == rule), None)
