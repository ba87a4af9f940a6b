"""The part of a loss that some of the processes brought about."""

from __future__ import annotations

from collections.abc import Collection

from clearway.case import Case
from clearway.ledger.losses import LATE


def charged_s(case: Case, line: str, processes: Collection[int]) -> float:
    """Rank-seconds lost to a line of the ledger by these processes, in proportion to their own seconds on it.

    The waits of others, which are part of the loss, are shared out in the same proportion.
    """
    seconds = case.books.ledger[line]
    total_s = float(seconds.sum())
    lost_s: float = getattr(case.losses, LATE[line])
    return lost_s * float(seconds[list(processes)].sum()) / total_s if total_s > 0 else 0.0
