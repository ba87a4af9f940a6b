"""What the calls cost that had not returned when the record ended."""

from __future__ import annotations

from collections.abc import Collection

from clearway.diagnosis.facts import Case

CERTAIN = 0.98  # confidence of a rule that knows why nothing was heard again until the end
CAUSES = ("wait_s", "imbalance_s", "blocked_s", "start_wait_s", "transfer_s")  # under which such time is booked


def claims(case: Case, seconds: float) -> dict[str, float]:
    """So many rank-seconds, from the causes that they may be booked under."""
    claimed: dict[str, float] = {}
    for cause in CAUSES:
        claimed[cause] = min(seconds, getattr(case.losses, cause))
        seconds -= claimed[cause]
    return claimed


def open_s(case: Case, processes: Collection[int]) -> float:
    """Rank-seconds of these processes in such calls, without timeouts of TCP."""
    opened, chosen = case.books.open_calls, list(processes)
    return float((opened.time_s[chosen] - opened.stall_s[chosen]).sum())


def idle_meanwhile_s(case: Case, waiting: Collection[int]) -> float:
    """Rank-seconds that the ranks they wait for were blocked outside MPI since then: nobody computes in that time."""
    opened = case.books.open_calls
    since_s = max((float(opened.time_s[process]) for process in waiting), default=0.0)
    others = [process for process in range(case.ranks) if process not in set(waiting) and opened.time_s[process] <= 0]
    return float(sum(min(float(case.books.ledger["other_s"][process]), since_s) for process in others))
