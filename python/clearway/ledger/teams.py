"""What the OpenMP runtimes of a Run did: parallel regions, and how long threads waited for each other in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.run.run import Run, to_seconds


@dataclass(frozen=True, slots=True)
class Teams:
    """All by process, in seconds of threads but where it says otherwise."""

    known: NDArray[np.bool_]  # its runtime told, and there were no tasks, which run inside waits
    regions: NDArray[np.int64]  # that the main thread began
    threads: NDArray[np.int64]  # of the largest team
    parallel_s: NDArray[np.float64]  # wall-clock of the main thread in regions
    main_wait_s: NDArray[np.float64]  # of the main thread for others of its team
    others_wait_s: NDArray[np.float64]  # of the others for each other and the main thread, in regions
    others_work_s: NDArray[np.float64]  # of the others in regions, without waits
    main_work_cpu_s: NDArray[np.float64]  # processor time of the main thread's work in regions
    main_spin_s: NDArray[np.float64]  # processor time of its waits: NaN where it was not read
    others_work_cpu_s: NDArray[np.float64]
    others_late_s: NDArray[np.float64]  # how long the others were expected in regions before they began
    around_s: NDArray[np.float64]  # of wall-clock before the main thread's first region and after its last


def teams(run: Run) -> Teams:
    """A region that a process is in at the end of its record counts until there."""
    rows, cells = run.teams, run.teams.data
    processes = len(run.processes)

    def summed(values: NDArray[np.float64], which: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(rows.process[which], values[which], minlength=processes).astype(np.float64)

    def seconds(name: str) -> NDArray[np.float64]:
        return run.seconds(rows.process, cells[name])

    def open_s(name: str) -> NDArray[np.float64]:
        at = run.processes[rows.process]
        inside = cells[name] > 0
        return np.where(inside, np.maximum(at["end_s"] - to_seconds(at, cells[name]), 0.0), 0.0)

    main = cells["tid"] == run.threads.data["tid"][rows.process]
    in_region_s = np.where(cells["size"] > 1, open_s("region_entry_ticks"), 0.0)  # one thread alone is no team
    region_s = seconds("region_ticks") + in_region_s
    team_s = seconds("team_ticks") + in_region_s * cells["size"]
    wait_s = seconds("wait_ticks")
    body_s = seconds("work_ticks") + open_s("body_entry_ticks")
    work_s = np.maximum(body_s - wait_s, 0.0)
    everyone = np.ones(len(main), np.bool_)
    parallel_s = summed(region_s, main)
    main_wait_s = np.maximum(parallel_s - summed(work_s, main), 0.0)
    all_wait_s = np.maximum(summed(team_s, everyone) - summed(work_s, everyone), 0.0)
    with_tasks = np.bincount(rows.process, cells["tasks"] > 0, minlength=processes) > 0
    most = np.zeros(processes, np.int64)
    np.maximum.at(most, rows.process, cells["most_threads"].astype(np.int64))
    np.maximum.at(most, rows.process[main], np.where(in_region_s > 0, cells["size"], 0)[main].astype(np.int64))
    read_part = at_work_on_core(run)
    work_cpu_s = work_s * np.where(np.isnan(read_part), 1.0, read_part)
    waits_read_s = seconds("sampled_wait_ticks")
    spins = _part(summed(waits_read_s, main), summed(cells["sampled_wait_cpu_ns"].astype(np.float64), main), np.nan)
    late_s = work_s * _part(seconds("sampled_work_ticks"), seconds("sampled_late_ticks") * 1e9, 0.0, np.inf)
    return Teams(
        known=(summed(team_s, everyone) > 0) & ~with_tasks,
        regions=summed(cells["regions"].astype(np.float64), main).astype(np.int64),
        threads=most,
        parallel_s=parallel_s,
        main_wait_s=np.where(parallel_s > 0, main_wait_s, 0.0),
        others_wait_s=np.maximum(all_wait_s - main_wait_s, 0.0),
        others_work_s=summed(work_s, ~main),
        main_work_cpu_s=summed(work_cpu_s, main),
        main_spin_s=main_wait_s * np.where(parallel_s > 0, spins, np.nan),
        others_work_cpu_s=summed(work_cpu_s, ~main),
        others_late_s=summed(late_s, ~main),
        around_s=_around_s(run, main, in_region_s > 0),
    )


def at_work_on_core(run: Run) -> NDArray[np.float64]:
    """By row of the teams: the part of its work in regions that the thread had a core; NaN where that was not read."""
    rows, cells = run.teams, run.teams.data
    return _part(run.seconds(rows.process, cells["sampled_work_ticks"]), cells["sampled_work_cpu_ns"], np.nan)


def _part(
    of_s: NDArray[np.float64], part_ns: NDArray[np.generic], unread: float, most: float = 1.0
) -> NDArray[np.float64]:
    """A part of seconds that were looked at; `unread` where there were none."""
    part = np.clip(part_ns.astype(np.float64) * 1e-9 / np.maximum(of_s, 1e-12), 0.0, most)
    return np.where(of_s > 0, part, unread)


def _around_s(run: Run, main: NDArray[np.bool_], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    rows, cells = run.teams, run.teams.data
    around = np.zeros(len(run.processes))
    told = main & (cells["first_ticks"] > 0)
    process = rows.process[told]
    at = run.processes[process]
    before_s = to_seconds(at, cells["first_ticks"][told]) - at["begin_s"]
    after_s = np.where(inside[told], 0.0, at["end_s"] - to_seconds(at, cells["last_ticks"][told]))
    around[process] = np.maximum(before_s, 0.0) + np.maximum(after_s, 0.0)
    return around
