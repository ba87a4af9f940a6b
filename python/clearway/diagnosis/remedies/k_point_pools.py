"""Quantum ESPRESSO: each group of ranks has k-points of its own, and little is sent between the groups."""

from __future__ import annotations

from pathlib import PurePath

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.facts.settings_in_force import program_words
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.engines.words import About
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
POOLS = ("-nk", "-npool", "-npools", "-nkpool")  # all the same to it


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: each pool holds all plane waves, which takes memory and cache."""
    points, words = word(case, About.K_POINTS), program_words(case)
    if points is None or points.value is None or PurePath(case.tables.job.program).name != "pw.x":
        return None
    pools = max((n for n in range(1, case.ranks + 1) if case.ranks % n == 0 and n <= points.value), default=1)
    if pools < 2 or any(option in words for option in POOLS):
        return None
    return Offer(
        what=f"divide the ranks into {pools} pools of k-points",
        why=f"there are {points.value:.0f} k-points, and now all ranks work on each of them together",
        gain=None,
        change=Change(program_options=("-nk", str(pools))),
    )
