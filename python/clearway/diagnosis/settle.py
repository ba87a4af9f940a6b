"""Several rules may suspect the same seconds: who gets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from clearway.diagnosis.rules import Suspicion
from clearway.ledger.losses import Losses


def settle(suspicions: Mapping[str, Suspicion], lost: Losses) -> dict[str, float]:
    """Rank-seconds of each rule, by name; no second twice, and none that was not lost.

    The surest is served first, of equally sure ones the one that claims most.
    """
    left = asdict(lost)
    served: dict[str, float] = {}
    for name in sorted(suspicions, key=lambda name: _precedence(name, suspicions[name])):
        taken = {cause: min(max(claim, 0.0), left[cause]) for cause, claim in suspicions[name].claims.items()}
        for cause, seconds in taken.items():
            left[cause] -= seconds
        served[name] = sum(taken.values())
    return served


def _precedence(name: str, suspicion: Suspicion) -> tuple[float, float, str]:
    return -suspicion.confidence, -sum(suspicion.claims.values()), name
