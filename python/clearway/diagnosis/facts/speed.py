"""How fast a job went by its engine's own log: what does the same work on any number of ranks."""

from __future__ import annotations

from clearway.diagnosis.facts import Case

S_PER_DAY = 86_400


def has_speed(case: Case) -> bool:
    engine = case.tables.engine
    return engine is not None and bool(engine.ns_per_day or engine.s_per_step)


def s_per_work(case: Case, beside: Case) -> float:
    """What the same piece of work took: a nanosecond, or a step, where both logs tell that; else the whole job."""
    mine, its = case.tables.engine, beside.tables.engine
    if mine and its and mine.ns_per_day and its.ns_per_day:
        return S_PER_DAY / mine.ns_per_day
    if mine and its and mine.s_per_step and its.s_per_step:
        return mine.s_per_step
    return case.wall_s
