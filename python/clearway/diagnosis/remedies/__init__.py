"""Cures, one a file, found by being there.

A remedy's module has EXCLUDES (names of those it must not be combined with) and `offer(case, finding)`, which gives an
Offer, or None where it does not fit this job or is already in force. What a job can be given without privilege is a
Change of its command line; `clearway fix` tries those.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from clearway.diagnosis.facts import Case
    from clearway.diagnosis.finding import Finding
    from clearway.job.change import Change


@dataclass(frozen=True, slots=True)
class Offer:
    """What to do about a finding of this job."""

    what: str
    why: str
    gain: float | None  # expected, as a share of the finding's cost
    change: Change | None = None  # of the job's command line
    command: str = ""  # what to type, where it is no change of the command line
    needs_root: bool = False
    reversible: bool = True


class RemedyModule(Protocol):
    """What a module of this folder provides."""

    EXCLUDES: frozenset[str]

    def offer(self, case: Case, finding: Finding) -> Offer | None: ...


@cache
def remedies() -> Mapping[str, RemedyModule]:
    """All remedies by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name.replace("_", "-"): cast(RemedyModule, importlib.import_module(f"{__name__}.{name}")) for name in names}
