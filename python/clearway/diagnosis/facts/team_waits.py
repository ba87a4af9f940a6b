"""What the threads of each rank lost by waiting for each other, and while one of them computed alone."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.diagnosis.facts.team_shares import most_over_mean_s
from clearway.run.layout import NOT_OF_PROGRAM, THREAD_GONE

MOSTLY = 0.5
CHANCE = 2.0  # standard deviations by which samples may be off


def uneven_s(case: Case) -> NDArray[np.float64]:
    """By rank, of wall-clock: what parallel regions took longer than with even shares.

    At most the mean wait of a thread of the team. But while a thread was off its core the others of its team waited for
    it, too, and that is no matter of shares. If it was off while it waited itself, its own wait was longer as well, and
    the others waited for it at the next region: each such second counts for all threads of the team. So of two figures,
    which are both too small where cores are short, the larger is taken: the waits without what any thread was off its
    core, and what the processor time of the threads differs by. Ranks whose threads must share cores are left out: a
    barrier of theirs takes as long as the scheduler lets it.
    """
    if case.cores is None:
        return np.zeros(case.ranks)
    team, table = case.cores.teams, case.cores.table
    threads = np.maximum(team.threads, 1)
    waits_s = team.main_wait_s + team.others_wait_s
    delayed_s = threads * (table["delay_s"] + case.books.ledger["core_wait_s"])
    undelayed_s = np.maximum(waits_s - delayed_s, 0.0) / threads
    least_s = np.minimum(np.maximum(undelayed_s, most_over_mean_s(case)), waits_s / threads)
    known: NDArray[np.float64] = np.where(case.cores.runtime_told, np.minimum(least_s, team.parallel_s), 0.0)
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
    """By rank, of its processor time: how long the main thread computed while the cores of its other threads were idle.

    What it waited for a core meanwhile is not lost by its being alone. Setting up is left out where the runtime tells
    when that was.
    """
    if case.cores is None:
        return np.zeros(case.ranks)
    table, team, ledger = case.cores.table, case.cores.teams, case.books.ledger
    others = np.minimum(table["cores"], table["threads"]) - 1
    alone: NDArray[np.float64] = np.where(others > 0, table["serial_s"] / np.maximum(others, 1e-12), 0.0)
    on_core = ledger["compute_s"] / np.maximum(ledger["compute_s"] + ledger["core_wait_s"], 1e-12)
    started_s = np.maximum(team.around_s - (ledger["other_s"] - table["main_blocked_s"]), 0.0)
    outside_s = ledger["compute_s"] - team.main_work_cpu_s - team.main_spin_s
    told_s = np.where(np.isnan(outside_s), alone * on_core, np.minimum(alone, outside_s)) - started_s * on_core
    longer_s = np.where(others > 0, _longer_than_others_s(case), 0.0)
    error_s = CHANCE * _sampling_error_s(case, alone)
    # Samples do not tell whether it had a core.
    by_chance = (longer_s <= alone + error_s) & (longer_s >= alone - ledger["core_wait_s"] - error_s)
    by_chance &= ~_come_and_go(case)
    sampled_s = np.where(by_chance, longer_s, alone * on_core)
    sampled_s = np.where(_only_short_lived(case), 0.0, sampled_s)
    computed_s = np.where(case.cores.runtime_told, told_s, sampled_s)
    known: NDArray[np.float64] = np.clip(computed_s, 0.0, ledger["compute_s"])
    return known


def _come_and_go(case: Case) -> NDArray[np.bool_]:
    """By rank: whether threads of its program ended meanwhile. Then no other has the work of one from begin to end."""
    rows, flags = case.run.thread_uses, case.run.thread_uses.data["flags"]
    gone = (flags & NOT_OF_PROGRAM == 0) & (flags & THREAD_GONE != 0)
    found: NDArray[np.bool_] = np.bincount(rows.process[gone], minlength=case.ranks) > 0
    return found


def _only_short_lived(case: Case) -> NDArray[np.bool_]:
    """By rank: whether its program made each other thread for one piece of work, with which it ended.

    Such threads are never idle: the main thread is alone where it starts them, or awaits nobody.
    """
    rows, uses = case.run.thread_uses, case.run.thread_uses.data
    others = (uses["flags"] & NOT_OF_PROGRAM == 0) & (uses["tid"] != case.run.threads.data["tid"][rows.process])
    short = others & (uses["flags"] & THREAD_GONE != 0) & (uses["first_ticks"] == uses["last_ticks"])
    seen, seen_once = (np.bincount(rows.process[of], minlength=case.ranks) for of in (others, short))
    found: NDArray[np.bool_] = (seen_once == seen) & (seen > 0)
    return found


def _longer_than_others_s(case: Case) -> NDArray[np.float64]:
    """By rank: what its main thread computed longer than any of its other threads. CPU times are exact.

    Of two threads one was alone for so long at least, and for no longer where they otherwise work together.
    """
    rows, uses = case.run.thread_uses, case.run.thread_uses.data
    mine = uses["flags"] & NOT_OF_PROGRAM == 0
    mine &= uses["tid"] != case.run.threads.data["tid"][rows.process]
    most_s = np.zeros(case.ranks)
    np.maximum.at(most_s, rows.process[mine], uses["cpu_ns"][mine] * 1e-9)
    longer_s: NDArray[np.float64] = np.maximum(case.books.ledger["compute_s"] - most_s, 0.0)
    return longer_s


def _sampling_error_s(case: Case, alone: NDArray[np.float64]) -> NDArray[np.float64]:
    """By rank: the standard deviation of what samples tell of the time alone."""
    cells = case.run.concurrency
    taken = np.bincount(cells.process, cells.data["samples"].astype(np.float64), minlength=case.ranks)
    wall_s = case.books.ledger["wall_s"]
    share = np.clip(alone / np.maximum(wall_s, 1e-12), 1 / np.maximum(taken, 2), 1 - 1 / np.maximum(taken, 2))
    error_s: NDArray[np.float64] = wall_s * np.sqrt(share * (1 - share) / np.maximum(taken, 1))
    return error_s
