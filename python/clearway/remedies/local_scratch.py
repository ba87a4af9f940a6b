"""Scratch files on the host's own disk or in its memory, where they lie on a slow or shared file system."""

from __future__ import annotations

from clearway.diagnosis.case import Case
from clearway.finding import Finding
from clearway.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    return None
