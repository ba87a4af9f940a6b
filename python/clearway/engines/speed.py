"""What an engine's log says of its speed, and how to read figures out of one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

S_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Engine:
    """What the engine's own log says."""

    name: str  # "GROMACS"
    log: str  # path
    ns_per_day: float | None
    s_per_step: float | None
    steps: int | None
    version: str = ""  # from the log


def works_of(engines: Sequence[Engine | None]) -> list[float | None]:
    """How much each engine's job did: simulated ns where all tell that, else steps. Never some in ns, some in steps.

    Steps of different engines cannot be counted together: one of pw.x is an iteration.
    """
    ns = [_simulated_ns(engine) for engine in engines]
    if all(ns):
        return ns
    if len({engine.name for engine in engines if engine}) > 1:
        return [None] * len(engines)
    return [float(engine.steps) if engine and engine.steps else None for engine in engines]


def _simulated_ns(engine: Engine | None) -> float | None:
    if engine is None or engine.steps is None or engine.ns_per_day is None or engine.s_per_step is None:
        return None
    return engine.steps * engine.s_per_step * engine.ns_per_day / S_PER_DAY


@dataclass(frozen=True, slots=True)
class Speed:
    """None is what the log does not say, or not yet."""

    ns_per_day: float | None = None
    s_per_step: float | None = None
    steps: int | None = None
    measured_s: float | None = None  # the wall-clock from which the log has its figures


def last_number(pattern: str, text: str) -> float | None:
    """The first group of the last match (a log may hold several runs), if it is a positive number."""
    number = None
    for match in re.finditer(pattern, text, re.MULTILINE):
        number = positive(match.group(1))
    return number


def positive(figure: str) -> float | None:
    try:
        number = float(figure.replace("D", "E"))
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def per_step(seconds: float | None, steps: float | None) -> float | None:
    return None if not seconds or not steps else seconds / steps


def whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def number(figure: str) -> float:
    """What is no number is none to compare with: NaN."""
    try:
        return float(figure.replace("D", "E"))
    except ValueError:
        return math.nan
