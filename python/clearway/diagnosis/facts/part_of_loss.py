"""The part of a loss that some of the processes, or one of several causes, brought about."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.ledger.losses import LATE
from clearway.ledger.timelines import COMPUTE


def charged_s(case: Case, line: str, processes: Collection[int]) -> float:
    """Rank-seconds lost to a line of the ledger by these processes, in proportion to their own seconds on it.

    The waits of others, which are part of the loss, are shared out in the same proportion.
    """
    seconds = case.books.ledger[line]
    total_s = float(seconds.sum())
    lost_s: float = getattr(case.losses, LATE[line])
    return lost_s * float(seconds[list(processes)].sum()) / total_s if total_s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class CoresTaken:
    """What threads beside those that compute took, on machines where ranks waited for a core."""

    lost_s: float  # rank-seconds of the loss that they explain
    waited_s: float  # that ranks there waited for a core
    taken_s: float  # CPU time of the threads there


def cores_taken(case: Case, used_s: NDArray[np.float64]) -> CoresTaken:
    """Run delay, as far as the CPU time of such threads on the same machine explains it; `used_s` is by process."""
    lost_s = waited_s = taken_s = 0.0
    for members in machines(case).values():
        there_s = float(case.books.ledger["core_wait_s"][members].sum())
        used_there_s = float(used_s[members].sum())
        if used_there_s <= 0 or there_s <= 0:
            continue
        lost_s += min(used_there_s / there_s, 1.0) * charged_s(case, "core_wait_s", members)
        waited_s += there_s
        taken_s += used_there_s
    return CoresTaken(lost_s, waited_s, taken_s)


def late_in_turns_s(case: Case, cause: str) -> float:
    """Rank-seconds of waits for ranks that are late now and then, as far as `cause` (a field of Losses) makes them so.

    A rank that stood still is late for what comes next, now this one, now that one. So waits of which no event tells
    the cause belong to what delays ranks now and then: to stalls, run delay and files, in proportion.
    """
    lost = case.losses
    delays_s = lost.stall_s + lost.core_wait_s + lost.io_s
    return waits_without_cause_s(case) * float(getattr(lost, cause)) / delays_s if delays_s > 0 else 0.0


def waits_without_cause_s(case: Case) -> float:
    """Rank-seconds of waits of which no event tells why: not those for ranks that computed longer."""
    computed_s = float(case.delays.causes_s[:, COMPUTE].sum()) - case.losses.imbalance_s
    return max(case.losses.wait_s - max(computed_s, 0.0), 0.0)
