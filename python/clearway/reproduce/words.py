"""Figures of papers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway import quantities as q
from clearway.reproduce.claim import CLOSE, Claim, Verdict


def milliseconds(value: float) -> str:
    return q.seconds(value * 1e-3)


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


def kind(verdict: Verdict) -> str:
    """What is only arithmetic is no prediction."""
    return "fitted" if verdict.claim.fitted else "predicted" if verdict.claim.points else "computed"


def summary(verdicts: Sequence[Verdict]) -> str:
    predictions = [verdict for verdict in verdicts if kind(verdict) == "predicted"]
    close = sum(verdict.is_close for verdict in predictions)
    fitted = sum(kind(verdict) == "fitted" for verdict in verdicts)
    return f"{close} of {len(predictions)} predictions within {100 * CLOSE:.0f} % · {fitted} fitted"


def why(verdict: Verdict) -> str:
    """Why a figure is off, as far as that is known."""
    return f"{verdict.claim.what}: {verdict.claim.reason or 'the reason is not known'}"
