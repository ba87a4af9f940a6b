"""Quantum ESPRESSO: each group of ranks has k-points of its own, and little is sent between the groups."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.k_points import pools_of
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
EVEN = 1.05  # the most points of a pool over the mean


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: each pool holds all plane waves, which takes memory and cache."""
    now = pools_of(case)
    if now is None:
        return None
    if now.option:
        return _evenly(case, now.points, now.pools, now.option) if now.uneven else None
    pools = _most(case.ranks, now.points)
    if pools < 2:
        return None
    return Offer(
        what=f"divide the ranks into {pools} pools of k-points",
        why=f"there are {now.points} k-points, and now all ranks work on each of them together",
        gain=None,
        change=Change(program_options=("-nk", str(pools))),
    )


def _evenly(case: Case, points: int, now: int, option: str) -> Offer | None:
    pools = _most(case.ranks, points)
    if _longest_over_mean(points, pools) >= _longest_over_mean(points, now):
        return None
    return Offer(
        what=f"divide the ranks into {pools} pool{'' if pools == 1 else 's'} of k-points",
        why=f"{points} k-points do not divide evenly among {now} pools, and some ranks wait for others",
        gain=None,
        change=Change(program_options=(option, str(pools))),
    )


def _most(ranks: int, points: int) -> int:
    """Pools of as many ranks each, which have about as many points each."""
    shares = (n for n in range(1, min(ranks, points) + 1) if ranks % n == 0)
    return max(n for n in shares if _longest_over_mean(points, n) <= EVEN)


def _longest_over_mean(points: int, pools: int) -> float:
    return -(-points // pools) * pools / points
