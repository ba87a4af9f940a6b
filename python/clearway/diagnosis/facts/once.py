"""A fact that several rules and remedies ask for is worked out once for each Case."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from clearway.diagnosis.facts import Case

T = TypeVar("T")


def once(fact: Callable[[Case], T]) -> Callable[[Case], T]:
    """Keeps the answer with the Case. Whoever asks must leave it as it is."""

    @wraps(fact)
    def kept(case: Case) -> T:
        if fact not in case.kept:
            case.kept[fact] = fact(case)
        answer: T = case.kept[fact]
        return answer

    return kept
