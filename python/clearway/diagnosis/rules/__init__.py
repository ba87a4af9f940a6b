"""Faults, one a file, found by being there. Beside each stands its page, which `clearway explain` prints.

A rule's module has TITLE, REMEDIES (names of modules of clearway.diagnosis.remedies, the smallest that works first) and
`examine(case)`, which gives a Suspicion or None. It reads the Case and nothing else. It may have NO_REMEDY, which is
said where none of its remedies fits the job. Rules do not know of each other: several may claim the same seconds, and
clearway.diagnosis.diagnose settles who gets them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from clearway.diagnosis.facts import Case
    from clearway.diagnosis.finding import Evidence


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What a rule says of a job, before it is settled which seconds are its own."""

    claims: Mapping[str, float]  # rank-seconds, by cause: a field of clearway.ledger.losses.Losses
    says: str
    evidence: tuple[Evidence, ...]
    confidence: float  # from 0 to 1; those of higher confidence are served first
    title: str = ""  # instead of the rule's, where that would not be so in this job
    remedies: tuple[str, ...] | None = None  # instead of the rule's, where some would be of no use
    at_start: bool = False  # before the program was at work: no need to tell when


class Rule(Protocol):
    """What a module of this folder provides."""

    __name__: str
    TITLE: str
    REMEDIES: tuple[str, ...]

    def examine(self, case: Case) -> Suspicion | None: ...


@cache
def rules() -> Mapping[str, Rule]:
    """All rules by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name_of(name): cast(Rule, importlib.import_module(f"{__name__}.{name}")) for name in names}


def name_of(module: str) -> str:
    """The name that people type: "congestion-loss" for congestion_loss."""
    return module.rpartition(".")[2].replace("_", "-")


def page_text(name: str) -> str:
    """The page of a rule: Markdown."""
    return (files(__name__) / f"{name.replace('-', '_')}.md").read_text("utf-8")
