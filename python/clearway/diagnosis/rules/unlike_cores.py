"""Some ranks are on slower cores of their host, and the others wait for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.ranges import short_numbers
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_kinds import kinds_of, on_slow_ones
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks on slower cores hold up the others"
REMEDIES = ("fast-cores",)
MOSTLY = 0.5  # of a rank's time
LONGER = 1.05  # computing on slow cores over computing on fast ones
GHZ = 1e-6


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks on fast cores waited, as far as those on slow ones compute longer in the mean."""
    part, compute_s = on_slow_ones(case), case.books.ledger["compute_s"]
    slow, fast = part > MOSTLY, part <= MOSTLY
    if not slow.any() or not fast.any():
        return None
    slow_s, fast_s = float(compute_s[slow].mean()), float(compute_s[fast].mean())
    if slow_s < LONGER * fast_s or case.losses.imbalance_s <= 0:
        return None
    longest = int(np.argmax(np.where(slow, compute_s, 0.0)))
    rank = case.tables.ranks[longest]
    kinds = next(found for host in case.run.hosts if host.name == rank.host and (found := kinds_of(host)))
    waited_s = min(case.losses.imbalance_s, (slow_s - fast_s) * int(fast.sum()))
    number = int(slow.sum())
    where = f"{short_numbers(sorted(kinds.slow))} of {rank.host}{_and_more(case, slow)}"
    says = (
        f"{q.plural(number, 'rank')} ran on slower cores ({where}) and computed {q.ratio(slow_s / fast_s)} times as "
        f"long as the ranks on fast ones, which waited {q.seconds(waited_s / int(fast.sum()))} each, on average. A "
        f"parallel step is as slow as its slowest core."
    )
    clocks = f"{kinds.fast_khz * GHZ:.1f} and {kinds.slow_khz * GHZ:.1f} GHz"
    evidence = (
        Evidence("highest clock, fast and slow cores", clocks, "cpuinfo_max_freq of each processor"),
        Evidence("fast cores", short_numbers(sorted(kinds.fast)), "likewise"),
        Evidence(
            "computing", f"{q.seconds(slow_s)} on slow cores, {q.seconds(fast_s)} on fast ones", "ledger, a rank's mean"
        ),
    )
    return Suspicion({"imbalance_s": waited_s}, says, evidence, confidence=0.85)


def _and_more(case: Case, slow: NDArray[np.bool_]) -> str:
    return ", and likewise on other hosts" if len(set(case.run.processes["host"][slow].tolist())) > 1 else ""
