"""The ledger of core-seconds: what became of every core that a rank was given, second by second.

The main thread's seconds are those of the ledger (account.py). This adds the seconds of the other cores that the rank
was given, so that all lines together are cores x wall-clock. With one core and one thread nothing is added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.ledger.account import Account
from clearway.ledger.cores_given import cores_given, processors
from clearway.ledger.teams import Teams, teams
from clearway.run.layout import NOT_OF_PROGRAM, THREAD_GONE, THREAD_OF_MPI, Place
from clearway.run.run import Rows, Run

# Lines for the cores beside the main thread's; with the main thread's wall-clock they add up to given_s.
OTHER_LINES = ("compute_s", "core_wait_s", "wait_s", "serial_s", "beside_s", "mpi_threads_s", "unused_s", "residue_s")
BESIDE_LINES = ("displaced_s", "lent_s", "main_wait_s", "main_blocked_s", "delay_s")

CORES = np.dtype(
    [
        ("threads", np.int64),
        *((name, np.float64) for name in ("cores", "given_s", *OTHER_LINES, *BESIDE_LINES)),
    ]
)

BUSY = 0.05  # of the wall-clock: a thread that wanted less of a core than this is not one of those that compute


@dataclass(frozen=True, slots=True)
class Cores:
    """By process. `table` has CORES rows; see OTHER_LINES.

    compute_s: other threads computed. core_wait_s: they were ready, and had no core. wait_s: they waited for each other
    or the main thread inside parallel regions. serial_s: cores idle while the main thread computed alone. beside_s:
    cores idle while the main thread was in MPI, in files or blocked. mpi_threads_s: the MPI's own threads. unused_s:
    there were fewer threads than cores. displaced_s: the main thread's waiting for a core that its own other threads
    had; it counts once, as theirs. lent_s: likewise of its being blocked, as by one that waits for a pool of threads.
    main_wait_s: the part of the main thread's time that was waiting for its team: of
    main_blocked_s it was blocked, of the rest it spun, which the ledger has as computing. delay_s: all that the other
    threads were ready and had no core, in waits for their team as well.
    """

    table: NDArray[np.void]
    teams: Teams
    runtime_told: NDArray[np.bool_]  # else the split of idle cores is from samples


def cores(run: Run, books: Account) -> Cores | None:
    """None where the record does not tell of threads."""
    given, hardware = cores_given(run)
    if not len(run.thread_uses) or not (given > 0).all():
        return None
    ledger, team, used = books.ledger, teams(run), _used(run, books.ledger["wall_s"])
    wall_s = ledger["wall_s"]
    table = np.zeros(len(wall_s), CORES)
    table["threads"] = threads = np.maximum(team.threads, used.threads)
    # Two threads on the two hardware threads of a core are two at work at once.
    table["cores"] = number = np.maximum(given, np.minimum(threads, np.floor(hardware)))
    table["given_s"] = number * wall_s
    table["unused_s"] = np.maximum(number - threads, 0.0) * wall_s
    others = np.minimum(number, threads) - 1
    in_teams_s = np.minimum(used.teams_cpu_s, team.others_work_cpu_s)  # the rest of it they spun
    compute_s = np.where(team.known, used.cpu_s - used.teams_cpu_s + in_teams_s, used.cpu_s)
    table["displaced_s"] = np.clip(compute_s - others * wall_s, 0.0, ledger["core_wait_s"])
    table["compute_s"] = compute_s
    blocked_s = np.minimum(run.threads.data["blocked_outside_ns"] * 1e-9, ledger["other_s"])
    table["main_wait_s"], table["main_blocked_s"] = _main_wait_s(ledger, team, blocked_s)
    over_s = compute_s - table["displaced_s"] - others * wall_s
    table["lent_s"] = np.clip(over_s, 0.0, blocked_s - table["main_blocked_s"])
    left_s = others * wall_s - (compute_s - table["displaced_s"] - table["lent_s"])
    table["residue_s"] = np.minimum(left_s, 0.0)
    left_s = np.maximum(left_s, 0.0)
    from_unused_s = np.minimum(used.mpi_cpu_s, table["unused_s"])
    table["mpi_threads_s"] = from_unused_s + np.minimum(used.mpi_cpu_s - from_unused_s, left_s)
    table["unused_s"] -= from_unused_s
    left_s -= table["mpi_threads_s"] - from_unused_s
    away_s = ledger["wall_s"] - ledger["compute_s"] - ledger["core_wait_s"]
    elsewhere_s = away_s - table["main_blocked_s"] - table["lent_s"]
    for name, seconds in _idle(run, elsewhere_s, team, used, others, left_s).items():
        table[name] = seconds
    return Cores(table, team, team.known)


def _main_wait_s(
    ledger: NDArray[np.void], team: Teams, blocked_s: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How long the main thread spun or was blocked for its team, and the latter alone; without its waiting for a core.

    Of that it had as much in regions as elsewhere, where the processor time of its waits was not read.
    """
    had_s = ledger["compute_s"] + ledger["other_s"]
    part = had_s / np.maximum(had_s + ledger["core_wait_s"], 1e-12)
    unread = np.isnan(team.main_spin_s)
    spun_s = np.minimum(team.main_spin_s, ledger["compute_s"])
    both_s = np.minimum(team.main_wait_s * part, had_s)
    blocked_s = np.minimum(np.where(unread, both_s, np.maximum(team.main_wait_s - spun_s, 0.0)), blocked_s)
    wait_s = np.where(unread, both_s, spun_s + blocked_s)
    return np.where(team.known, wait_s, 0.0), np.where(team.known, blocked_s, 0.0)


@dataclass(frozen=True, slots=True)
class _Used:
    """What the other threads had, by process."""

    threads: NDArray[np.int64]  # at once, the main thread included
    cpu_s: NDArray[np.float64]
    teams_cpu_s: NDArray[np.float64]  # of this, of threads whose regions are recorded: not those of regions inside
    run_delay_s: NDArray[np.float64]
    mpi_cpu_s: NDArray[np.float64]  # of the MPI's threads


def _used(run: Run, wall_s: NDArray[np.float64]) -> _Used:
    rows, uses = run.thread_uses, run.thread_uses.data
    main = uses["tid"] == run.threads.data["tid"][rows.process]
    foreign = uses["flags"] & NOT_OF_PROGRAM != 0
    of_program = ~main & ~foreign
    of_mpi = ~main & (uses["flags"] & THREAD_OF_MPI != 0)

    def summed(name: str, which: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(rows.process[which], uses[name][which] * 1e-9, minlength=len(wall_s)).astype(np.float64)

    wanted_s = (uses["cpu_ns"] + uses["run_delay_ns"]) * 1e-9
    busy = of_program & (wanted_s > BUSY * wall_s[rows.process])
    at_once = np.ones(len(wall_s), np.int64)
    for process in np.unique(rows.process[busy]):
        mine = busy & (rows.process == process)
        at_once[process] += _most_at_once(uses["first_ticks"][mine], uses["last_ticks"][mine])
    cpu_s, delay_s, mpi_cpu_s = (
        summed("cpu_ns", of_program),
        summed("run_delay_ns", of_program),
        summed("cpu_ns", of_mpi),
    )
    # Threads that ended took with them what they had since the look before; the process keeps it.
    unseen_s = np.maximum(_process_cpu_s(run, len(wall_s)) - summed("cpu_ns", main | foreign) - cpu_s, 0.0)
    # Of many that live for a moment each none is busy for long; together they may be.
    short_s = unseen_s + summed("cpu_ns", of_program & (uses["flags"] & THREAD_GONE != 0))
    many = (at_once == 1) & (short_s > BUSY * wall_s)
    at_once = np.where(many, 1 + np.ceil(short_s / np.maximum(wall_s, 1e-12)).astype(np.int64), at_once)
    unseen_s = np.where((at_once > 1) & (unseen_s > 0.01), unseen_s, 0.0)
    teams_cpu_s = summed("cpu_ns", of_program & np.isin(_thread_key(rows), _thread_key(run.teams)))
    delay_s = delay_s * (1 + unseen_s / np.maximum(cpu_s, 1e-12))
    return _Used(at_once, cpu_s + unseen_s, teams_cpu_s, delay_s, mpi_cpu_s)


def _thread_key(rows: Rows) -> NDArray[np.uint64]:
    key: NDArray[np.uint64] = (rows.process.astype(np.uint64) << np.uint64(32)) | rows.data["tid"].astype(np.uint64)
    return key


def _process_cpu_s(run: Run, processes: int) -> NDArray[np.float64]:
    """Since it began, of all its threads; no more than the processors that it may use could give."""
    rows = run.counters
    mine = rows.data["name"] == b"process.cpu_all_threads_ns"
    told_s = np.bincount(rows.process[mine], rows.data["last"][mine] * 1e-9, minlength=processes).astype(np.float64)
    most = np.zeros(processes)
    for process, text in run.fact("process.cpus_allowed").items():
        most[process] = len(processors(text))
    lived_s: NDArray[np.float64] = run.processes["end_s"] - run.processes["begin_s"]
    return np.minimum(told_s, most * lived_s)


def _most_at_once(begin: NDArray[np.uint64], end: NDArray[np.uint64]) -> int:
    """The most of these spans that overlap."""
    order = np.argsort(np.concatenate([begin, end]), kind="stable")  # at equal instants one begins before another ends
    step = np.concatenate([np.ones(len(begin), np.int64), -np.ones(len(end), np.int64)])[order]
    return int(np.cumsum(step).max())


def _idle(
    run: Run,
    elsewhere_s: NDArray[np.float64],
    team: Teams,
    used: _Used,
    others: NDArray[np.float64],
    left_s: NDArray[np.float64],
) -> dict[str, NDArray[np.float64]]:
    """What the cores of the other threads were not computing for, by line. `elsewhere_s`: of the main thread in MPI, in
    files, or blocked but for its team.
    """
    part = others / np.maximum(np.maximum(team.threads, used.threads) - 1, 1)  # of a thread that is one core's
    # Who waits for its team loses nothing by being off its core; who is late for its team, or off it at work, does.
    at_work_s = np.minimum(used.run_delay_s, team.others_work_s - team.others_work_cpu_s)
    late_s = np.minimum(used.run_delay_s - at_work_s, team.others_late_s)
    read = team.known & ~np.isnan(team.main_spin_s)
    delay_s = np.minimum(used.run_delay_s * part, left_s)
    core_wait_s = np.where(read, np.minimum((at_work_s + late_s) * part, left_s), delay_s)
    left_s = left_s - core_wait_s
    wait_s = np.minimum(np.where(read, np.maximum(team.others_wait_s - late_s, 0.0), team.others_wait_s) * part, left_s)
    outside_s = run.processes["end_s"] - run.processes["begin_s"] - team.parallel_s
    beside_s = np.minimum(np.clip(elsewhere_s, 0.0, np.maximum(outside_s, 0.0)) * others, left_s - wait_s)
    sampled = _sampled(run, len(left_s))
    wait_s = np.where(team.known, wait_s, left_s * sampled["wait_s"])
    beside_s = np.where(team.known, beside_s, left_s * sampled["beside_s"])
    return {
        "core_wait_s": core_wait_s,
        "delay_s": delay_s,
        "wait_s": wait_s,
        "beside_s": beside_s,
        "serial_s": np.maximum(left_s - wait_s - beside_s, 0.0),
    }


def _sampled(run: Run, processes: int) -> dict[str, NDArray[np.float64]]:
    """Of the other threads found idle: the part while another computed, and while the main thread was in MPI, in files
    or blocked. The rest: while it computed alone. Without samples all is the first of the two.
    """
    rows, cells = run.concurrency, run.concurrency.data
    each = (cells["busy"] + cells["idle"]) / np.maximum(cells["samples"], 1)
    alone = np.minimum(cells["alone"] * each, cells["idle"])
    computes = (cells["place"] == Place.OUTSIDE) & (cells["main_busy"] > 0)

    def summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(rows.process, values, minlength=processes).astype(np.float64)

    idle = summed(cells["idle"].astype(np.float64))
    serial, wait = summed(np.where(computes, alone, 0.0)), summed(np.where(computes, cells["idle"] - alone, 0.0))
    some = np.maximum(idle, 1e-12)
    return {"wait_s": wait / some, "beside_s": np.where(idle > 0, (idle - serial - wait) / some, 1.0)}
