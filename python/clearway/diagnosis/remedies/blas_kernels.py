"""Kernels of OpenBLAS for AVX2, where it does not know the processor and takes older ones."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.overhead_kinds import KINDS
from clearway.diagnosis.facts.overheads import OLD_KERNELS, kind_of
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
NAME = "OPENBLAS_CORETYPE"
# Of all processors with AVX2 the oldest: releases since 2013 know it, others fall back to their own choice.
CORE = "Haswell"


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = 1: the finding claims what comes back."""
    if finding.title != KINDS[OLD_KERNELS].title or variable(case, NAME):
        return None
    sampled = case.tables.profile
    used = [] if sampled is None else [one for one in sampled.functions if kind_of(one) == OLD_KERNELS]
    if not any("blas" in one.path for one in used):  # MKL has no such variable
        return None
    return Offer(
        what="let OpenBLAS compute with AVX2",
        why=f"its kernels are those of older processors: {', '.join(sorted(one.name for one in used)[:2])}",
        gain=1.0,
        change=Change(environment=((NAME, CORE),)),
    )
