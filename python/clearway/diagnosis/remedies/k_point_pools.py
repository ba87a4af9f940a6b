"""Quantum ESPRESSO: each group of ranks has k-points of its own, and little is sent between the groups."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.k_points import pools_of
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: each pool holds all plane waves, which takes memory and cache."""
    now = pools_of(case)
    if now is None:
        return None
    if now.option:
        return _evenly(case, now.points, now.pools, now.option) if now.uneven else None
    pools = max((n for n in range(1, case.ranks + 1) if case.ranks % n == 0 and n <= now.points), default=1)
    if pools < 2:
        return None
    return Offer(
        what=f"divide the ranks into {pools} pools of k-points",
        why=f"there are {now.points} k-points, and now all ranks work on each of them together",
        gain=None,
        change=Change(program_options=("-nk", str(pools))),
    )


def _evenly(case: Case, points: int, now: int, option: str) -> Offer | None:
    pools = max(n for n in range(1, case.ranks + 1) if case.ranks % n == 0 and points % n == 0)
    return Offer(
        what=f"divide the ranks into {pools} pool{'' if pools == 1 else 's'} of k-points",
        why=f"{points} k-points do not divide evenly among {now} pools, and some ranks wait for others",
        gain=None,
        change=Change(program_options=(option, str(pools))),
    )
