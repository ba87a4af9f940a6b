"""Figures of papers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.base import quantities as q
from papers.claim import CLOSE, Claim, Kind, Verdict
from papers.claim import deviation as deviation_of


def milliseconds(value: float) -> str:
    return q.seconds(value * 1e-3)


def nanoseconds(value: float) -> str:
    return q.seconds(value * 1e-9)


def times(value: float) -> str:
    return f"{q.three_digits(value)}×"


def mib_per_s(value: float) -> str:
    return f"{q.three_digits(value)} MB/s"


def number(value: float) -> str:
    return q.three_digits(value) if value != int(value) else q.count(value)


def published(claim: Claim) -> str:
    if claim.low == claim.high:
        return claim.words(claim.low)
    if math.isinf(claim.high):
        return f"≥ {claim.words(claim.low)}"
    return f"{claim.words(claim.low)} to {claim.words(claim.high)}"


def deviation(verdict: Verdict) -> str:
    """'+3 %'; a dash where nothing can be divided by what was published."""
    if math.isinf(verdict.deviation):
        return q.UNKNOWN
    return "0 %" if abs(verdict.deviation) < 0.005 else f"{100 * verdict.deviation:+.0f} %"


def told_kind(claim: Claim) -> str:
    """As the last column tells it."""
    told = claim.kind.value
    if claim.kind is Kind.BOUND and claim.is_unseen:
        told = f"{told}, unseen"
    return f"{told}: {claim.fitted or claim.uncounted}" if claim.fitted or claim.uncounted else told


def seeds(verdict: Verdict) -> str:
    """From the least to the largest over the seeds; nothing where they agree."""
    least, most = (verdict.claim.words(value) for value in (min(verdict.by_seed), max(verdict.by_seed)))
    return "" if least == most else f"{least} – {most}"


def of_kind(verdicts: Sequence[Verdict], kind: Kind) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.claim.kind is kind]


def summary(verdicts: Sequence[Verdict]) -> str:
    """What the paper's figures prove: the numbers first, and of these what nobody had seen."""
    parts = [
        f"{close(numbers)} of {len(numbers)} {kind.value} numbers within {100 * CLOSE:.0f} %"
        for kind in (Kind.UNSEEN, Kind.SEEN)
        if (numbers := of_kind(verdicts, kind))
    ]
    bounds = of_kind(verdicts, Kind.BOUND)
    for told, some in (("unseen bounds", True), ("seen bounds", False)):
        alike = [verdict for verdict in bounds if verdict.claim.is_unseen is some]
        parts += [f"{close(alike)} of {len(alike)} {told} kept"] if alike else []
    others = (Kind.FITTED, Kind.UNCOUNTED, Kind.COMPUTED)
    parts += [f"{len(of_kind(verdicts, kind))} {kind.value}" for kind in others if of_kind(verdicts, kind)]
    return " · ".join(parts)


def close(verdicts: Sequence[Verdict]) -> int:
    return sum(verdict.is_close for verdict in verdicts)


def null_models(verdicts: Sequence[Verdict]) -> list[tuple[str, int, int, int]]:
    """Of each null model: its name, how many of the predicted numbers it speaks of, how many of these it has within
    15 %, and how many the simulator has."""
    numbers = [verdict for verdict in verdicts if verdict.claim.is_predicted]
    names = dict.fromkeys(name for verdict in numbers for name, _ in verdict.by_null)
    rows = []
    for name in names:
        spoken = [(verdict, dict(verdict.by_null)[name]) for verdict in numbers if name in dict(verdict.by_null)]
        hits = sum(abs(deviation_of(verdict.claim, value)) <= CLOSE for verdict, value in spoken)
        rows.append((name, len(spoken), hits, close([verdict for verdict, _ in spoken])))
    return rows


def today(verdict: Verdict) -> str:
    """What is simulated now, where that is no longer what counts."""
    now = verdict.claim.words(verdict.predicted)
    return "" if now == verdict.claim.words(verdict.counted) else f"; today's model: {now}"


def why(verdict: Verdict) -> str:
    """Why a figure is off, as far as that is known."""
    return f"{verdict.claim.what}: {verdict.claim.reason or 'the reason is not known'}"
