"""What the threads of a team worked on their cores: unlike waits, it does not depend on who else wanted the cores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.ledger.teams import at_work_on_core

WHOLE = 0.98  # of the regions' thread-seconds: in fewer, threads of smaller teams rightly work less


def most_over_mean_s(case: Case) -> NDArray[np.float64]:
    """By rank: by how much its busiest thread's processor time at work in regions exceeds the mean of its team.

    Zero where teams were of several sizes, or of more threads than the team has places. Threads that take turns at
    having more to do are even in this sum: it is the least that uneven shares cost. The processor time at work is known
    twice, from the stretches that were read and from the thread's in all; what only one of them says may be chance.
    """
    if case.cores is None:
        return np.zeros(case.ranks)
    whole_s, part_s = _on_core_s(case), _at_work_s(case) * at_work_on_core(case.run)
    over_s = _over_mean_s(case, whole_s)
    return np.minimum(over_s, _over_mean_s(case, np.where(np.isnan(part_s), whole_s, part_s)))


def _over_mean_s(case: Case, work_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """By rank, with the processor time at work by row of the teams."""
    over_s = np.zeros(case.ranks)
    if case.cores is None:
        return over_s
    team, cells = case.cores.teams, case.run.teams
    order = np.argsort(cells.process, kind="stable")
    ends = np.searchsorted(cells.process[order], np.arange(case.ranks + 1))
    for process in np.flatnonzero(case.cores.runtime_told & (team.threads > 1)):
        mine = order[ends[process] : ends[process + 1]]
        mine = mine[work_s[mine] > 0]
        threads = int(team.threads[process])
        if len(np.unique(cells.data["tid"][mine])) == threads and _is_whole(cells.data[mine], threads):
            over_s[process] = float(work_s[mine].max() - work_s[mine].mean())
    return over_s


def _is_whole(cells: NDArray[np.void], threads: int) -> bool:
    """Whether nearly all regions were done by a team of so many."""
    every_s = cells["region_ticks"].sum(dtype=np.float64) * threads
    return bool(cells["team_ticks"].sum(dtype=np.float64) >= WHOLE * every_s)


def _on_core_s(case: Case) -> NDArray[np.float64]:
    """By row of the teams: the thread's processor time at work in regions, without waits that spin.

    A thread that wants a core lacks it as often at work as while it spins.
    """
    rows, cells, ledger = case.run.teams, case.run.teams.data, case.books.ledger
    main = cells["tid"] == case.run.threads.data["tid"][rows.process]
    cpu_s = np.where(main, ledger["compute_s"][rows.process], _had_s(case, "cpu_ns"))
    delay_s = np.where(main, ledger["core_wait_s"][rows.process], _had_s(case, "run_delay_ns"))
    part = np.clip(_at_work_s(case) / np.maximum(cpu_s + delay_s, 1e-12), 0.0, 1.0)
    on_core_s: NDArray[np.float64] = cpu_s * part
    return on_core_s


def _at_work_s(case: Case) -> NDArray[np.float64]:
    """By row of the teams: in bodies of regions, without waits."""
    rows, cells = case.run.teams, case.run.teams.data
    inside_s = case.run.seconds(rows.process, cells["work_ticks"]) - case.run.seconds(rows.process, cells["wait_ticks"])
    at_work_s: NDArray[np.float64] = np.maximum(inside_s, 0.0)
    return at_work_s


def _had_s(case: Case, name: str) -> NDArray[np.float64]:
    """By row of the teams: what the kernel counted of the thread."""
    uses, rows = case.run.thread_uses, case.run.teams
    known, which = np.unique(_key(uses.process, uses.data["tid"]), return_inverse=True)
    counted_s = np.bincount(which, uses.data[name] * 1e-9, minlength=len(known))
    wanted = _key(rows.process, rows.data["tid"])
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    had_s: NDArray[np.float64] = np.where(known[at] == wanted, counted_s[at], 0.0)
    return had_s


def _key(process: NDArray[np.int32], tid: NDArray[np.uint32]) -> NDArray[np.uint64]:
    key: NDArray[np.uint64] = (process.astype(np.uint64) << np.uint64(32)) | tid.astype(np.uint64)
    return key
