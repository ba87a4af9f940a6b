"""From Runs on two numbers of ranks there is no law, but bounds: what the plainest laws through both say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clearway.predict.scaling.nulls import amdahl, constant, perfect
from clearway.predict.scaling.terms import SET

HIGHEST = float(max(term.power for term in SET))


def bounds(ranks: Sequence[int], seconds: Sequence[float], target: int) -> tuple[float, float]:
    """Of seconds a rank: constant, perfect, Amdahl's law, and a power law through both."""
    if not any(seconds):
        return 0.0, 0.0
    told = [constant(ranks, seconds), perfect(ranks, seconds, target)]
    fewest, most = (_mean(ranks, seconds, one) for one in (min(ranks), max(ranks)))
    if min(seconds) > 0:
        told.append(amdahl(ranks, seconds, target) or told[0])
    if fewest > 0 and most > 0:
        power = min(math.log(most / fewest) / math.log(max(ranks) / min(ranks)), HIGHEST)
        told.append(most * (target / max(ranks)) ** power)
    else:  # from nothing on fewest ranks: a straight line
        told.append(most + (most - fewest) * (target - max(ranks)) / (max(ranks) - min(ranks)))
    return max(min(told), 0.0), max(told)


def _mean(ranks: Sequence[int], seconds: Sequence[float], number: int) -> float:
    own = [one for at, one in zip(ranks, seconds, strict=True) if at == number]
    return sum(own) / len(own)
