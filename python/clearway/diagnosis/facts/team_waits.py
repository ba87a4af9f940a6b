"""What the threads of each rank lost by waiting for each other, and while one of them computed alone."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.shared_processors import crowded

MOSTLY = 0.5


def uneven_s(case: Case) -> NDArray[np.float64]:
    """By rank, of wall-clock: what parallel regions took longer than with even shares.

    The mean wait of a thread of the team. While a thread was off its core the others of its team waited for it, too:
    that is no matter of shares, and left out. So are ranks whose threads must share cores: a barrier of theirs takes as
    long as the scheduler lets it.
    """
    if case.cores is None:
        return np.zeros(case.ranks)
    team, table = case.cores.teams, case.cores.table
    threads = np.maximum(team.threads, 1)
    waits_s = team.main_wait_s + team.others_wait_s
    delayed_s = (threads - 1) * (table["core_wait_s"] + case.books.ledger["core_wait_s"])
    mean_s = np.maximum(waits_s - delayed_s, 0.0) / threads
    known: NDArray[np.float64] = np.where(case.cores.runtime_told, np.minimum(mean_s, team.parallel_s), 0.0)
    known[crowded(case)] = 0.0
    return known


def hold_each_other_up(case: Case, processes: Collection[int]) -> bool:
    """Whether threads of these spent most of their time in parallel regions waiting for each other."""
    if case.cores is None:
        return False
    team, these = case.cores.teams, list(processes)
    waits_s = float((team.main_wait_s + team.others_wait_s)[these].sum())
    return waits_s > MOSTLY * float((team.parallel_s * team.threads)[these].sum()) > 0


def alone_s(case: Case) -> NDArray[np.float64]:
    """By rank, of wall-clock: how long the main thread computed while the cores of its other threads were idle.

    Without reading input and the like, before the first parallel region and after the last, where these are told: it
    weighs less the longer the job is.
    """
    if case.cores is None:
        return np.zeros(case.ranks)
    table = case.cores.table
    others = np.minimum(table["cores"], table["threads"]) - 1
    alone: NDArray[np.float64] = np.where(others > 0, table["serial_s"] / np.maximum(others, 1e-12), 0.0)
    started_s = np.maximum(case.cores.teams.around_s - (case.books.ledger["other_s"] - table["main_blocked_s"]), 0.0)
    alone = np.maximum(alone - started_s, 0.0)
    computed: NDArray[np.float64] = np.minimum(alone, case.books.ledger["compute_s"])
    return computed
