"""CPU time that the kernel took for a rank's main thread outside MPI and files: system calls, page faults, signals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_last, process_rises
from clearway.diagnosis.facts.overheads import outside_mpi_s
from clearway.diagnosis.facts.page_faults import IN_A_JOB, PAGE_BYTES, page_faults


def kernel_s(case: Case) -> NDArray[np.float64]:
    """By process, at least so much: as if all CPU time in MPI and in file functions had been the kernel's.

    Touching each page once that the process ever held is no loss. Zero where nothing is recorded of it. Many kernels
    divide a thread's CPU time by what the timer happens to meet, and it meets the kernel too often where threads
    change places all the time. So what was sampled of computing outside the kernel is taken as certain.
    """
    system_ms, peaks = process_rises(case, "process.main_system_ms"), process_last(case, "process.peak_rss_bytes")
    spent_s = np.zeros(case.ranks)
    for process, milliseconds in system_ms.items():
        spent_s[process] = milliseconds * 1e-3
    pages = np.array([peaks.get(process, 0) // PAGE_BYTES for process in range(case.ranks)], np.float64)
    first_touches_s = pages * page_faults(case).each_s * IN_A_JOB
    result: NDArray[np.float64] = np.clip(spent_s - _in_calls_s(case) - first_touches_s, 0.0, None)
    computing_s: NDArray[np.float64] = case.books.ledger["compute_s"]
    return np.clip(np.minimum(result, computing_s - _outside_s(case)), 0.0, None)


def _outside_s(case: Case) -> NDArray[np.float64]:
    """By process: CPU time outside the kernel and MPI. It is sampled; zero where it is not."""
    sampled = case.tables.profile
    return np.zeros(case.ranks) if sampled is None else outside_mpi_s(sampled, case.ranks).sum(axis=1)


def _in_calls_s(case: Case) -> NDArray[np.float64]:
    """By process: CPU time in MPI and in file functions, at most. It is measured in long calls only."""
    calls, cells = case.run.calls, case.run.threads.data
    process = calls.process[calls.main]
    mpi_s = np.bincount(process, case.run.seconds(process, calls.data["ticks"][calls.main]), minlength=case.ranks)
    cpu_s, delay_s = cells["cpu_in_mpi_ns"] * 1e-9, cells["run_delay_in_mpi_ns"] * 1e-9
    short_s = np.clip(mpi_s - cpu_s - delay_s, 0.0, None)
    files_s = case.run.seconds(case.run.threads.process, cells["io_ticks"]) - cells["run_delay_in_io_ns"] * 1e-9
    result: NDArray[np.float64] = cpu_s + short_s + np.clip(files_s, 0.0, None)
    return result
