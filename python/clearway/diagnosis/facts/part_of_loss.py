"""The part of a loss that some of the processes, or one of several causes, brought about."""

from __future__ import annotations

from collections.abc import Collection

from clearway.diagnosis.facts import Case
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
