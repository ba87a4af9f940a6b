"""Whether what no call claims can have been computing: a process that computes uses CPU time.

The recorder reads a thread's CPU time at its own calls. Of what comes after the last of them (a rank that sleeps, or
hangs, or is stopped until the job is killed) it knows nothing, but the process's counters go on: they are read every
second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.run.layout import NOT_OF_PROGRAM
from clearway.run.run import Run, to_seconds

SAMPLE_S = 1.25  # counters may be as much older than the end of the record
SHORTEST_CALL_S = 0.5e-3  # whose CPU time is read; so much before such a call may be counted into it


def not_run_s(run: Run, compute_s: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """By line of the ledger: the part of each process's "computing" for which it used no CPU time.

    In a file function when the record ended: reading or writing; ready to run by the counters: waiting for a core;
    else it was blocked. Of processes without these counters nothing is known.
    """
    cells, processes = run.threads.data, run.processes
    counted = _risen_s(run, "process.cpu_all_threads_ns")
    span_s = processes["end_s"] - processes["recording_s"]
    known = ~np.isnan(counted) & (span_s > 2 * SAMPLE_S)
    later = span_s / np.maximum(span_s - SAMPLE_S, SAMPLE_S)  # it went on as before until the end
    used_s = later * np.fmax(counted, cells["cpu_ns"] * 1e-9)
    at_most_s = np.maximum(used_s - _in_calls_s(run), 0.0)
    unread_s = np.clip(processes["end_s"] - _read_s(run), 0.0, None)
    excess_s = np.where(known, np.clip(compute_s - at_most_s, 0.0, unread_s), 0.0)

    in_file = (cells["io_depth"] > 0) & (run.main_call == 0)
    delay_s = later * np.nan_to_num(_risen_s(run, "process.run_delay_all_threads_ns")) - cells["run_delay_ns"] * 1e-9
    ready_s = np.where(in_file, 0.0, np.clip(delay_s, 0.0, excess_s))
    return {
        "io_s": np.where(in_file, excess_s, 0.0),
        "core_wait_s": ready_s,
        "other_s": np.where(in_file, 0.0, excess_s - ready_s),
    }


def used_s(run: Run) -> NDArray[np.float64]:
    """CPU time of each process's program, all its threads: not the MPI's, ours, or those that only waited for work.

    The main thread's where that was last read long ago: of the process. No thread has more than the wall-clock.
    """
    main_s: NDArray[np.float64] = run.threads.data["cpu_ns"] * 1e-9
    read_long_ago = run.processes["end_s"] - _read_s(run) > SAMPLE_S
    main_s = np.where(read_long_ago, np.fmax(main_s, _risen_s(run, "process.cpu_all_threads_ns")), main_s)
    wall_s = run.processes["end_s"] - run.processes["begin_s"]
    sums: NDArray[np.float64] = np.minimum(main_s, wall_s) + _others_s(run)
    return sums


def _others_s(run: Run) -> NDArray[np.float64]:
    rows, uses = run.thread_uses, run.thread_uses.data
    foreign = uses["flags"] & NOT_OF_PROGRAM != 0
    others = ~foreign & (uses["tid"] != run.threads.data["tid"][rows.process])
    return np.bincount(rows.process[others], uses["cpu_ns"][others] * 1e-9, minlength=len(run.processes)).astype(
        np.float64
    )


def _risen_s(run: Run, name: str) -> NDArray[np.float64]:
    """Of a counter of nanoseconds, by process; NaN where it has none."""
    rows = run.counters
    mine = rows.data["name"] == name.encode()
    result = np.full(len(run.processes), np.nan)
    data = rows.data[mine]
    result[rows.process[mine]] = (data["last"] - np.minimum(data["first"], data["last"])) * 1e-9
    return result


def _in_calls_s(run: Run) -> NDArray[np.float64]:
    """CPU time that was spent in MPI calls for sure."""
    calls = run.calls
    number = np.bincount(
        calls.process[calls.main], calls.data["count"][calls.main].astype(np.float64), minlength=len(run.processes)
    )
    sure_s: NDArray[np.float64] = np.maximum(run.threads.data["cpu_in_mpi_ns"] * 1e-9 - SHORTEST_CALL_S * number, 0.0)
    return sure_s


def _read_s(run: Run) -> NDArray[np.float64]:
    """When the main thread's own figures were last read: until then it is known when it was blocked."""
    ticks = run.threads.data["sampled_ticks"]
    return np.where(ticks > 0, to_seconds(run.processes, ticks), run.processes["recording_s"])
